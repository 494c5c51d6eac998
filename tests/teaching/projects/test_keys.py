"""Keys of projects: long, typed without trouble, and a typing error is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symdemo.errors import InputError
from symdemo.teaching.project_files import is_project_id, new_key, read_key

SIGNS = "0123456789abcdefghjkmnpqrstvwxyz"
KEY = "7k2m-q9xd-04ct-hv8w-m3rs"  # of the examples; its last sign is not the right one


def test_keys_are_ids_and_differ():
    keys = {new_key() for _ in range(200)}
    assert len(keys) == 200
    assert all(is_project_id(key) and read_key(key) == key for key in keys)
    assert {sign for key in keys for sign in key} == {*SIGNS, "-"}


@pytest.mark.slow
@given(st.data())
def test_a_key_is_read_however_it_is_typed(data):
    key = new_key()
    typed = "".join(data.draw(st.sampled_from([sign, sign.upper()])) for sign in key)
    typed = typed.replace("-", data.draw(st.sampled_from(["", " ", "-", " - ", "–"])))
    typed = typed.replace("0", data.draw(st.sampled_from("0oO")))
    typed = typed.replace("1", data.draw(st.sampled_from("1iIlL")))
    assert read_key(f" {typed}\n") == key


@given(st.integers(0, 19), st.integers(1, 30))
def test_one_wrong_sign_is_told(place, step):
    signs = list(new_key().replace("-", ""))
    value = SIGNS.index(signs[place])
    wrong = (
        value + step
    ) % 31  # the one pair of signs that a prime of 31 cannot tell apart is 0, z
    if value == 31:
        wrong = step
    if {value, wrong} == {0, 31}:
        return
    signs[place] = SIGNS[wrong]
    with pytest.raises(InputError, match="typing error"):
        read_key("".join(signs))


@pytest.mark.parametrize("text", ["", "  ", None, 3, "7k2m-q9xd", "x" * 5000, "../../etc/passwd"])
def test_what_is_no_key_is_told(text):
    with pytest.raises(InputError, match="That isn’t a valid key"):
        read_key(text)


def test_a_key_of_before_is_read_as_it_is():
    old = "AbCdEfGh_jKlMnOp-rStUvWx"
    assert read_key(f" {old} ") == old
    with pytest.raises(InputError, match="typing error"):
        read_key(KEY)
