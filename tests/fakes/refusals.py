"""What a call is refused with: every error that users see is one sentence."""

import pytest

from symdemo.errors import InputError, SymdemoError


def refusal(call, *args, raising: type[SymdemoError] = InputError, **options) -> str:
    """Return the one sentence that a call is refused with."""
    with pytest.raises(raising) as error:
        call(*args, **options)
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))
    assert len(text) < 500
    return text
