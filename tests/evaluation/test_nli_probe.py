"""The NLI cross-encoder of Table 2: its classes are read by name."""

import pytest
import torch

from symdemo.errors import ModelError
from symdemo.evaluation.nli import load_cross_encoder, nli_verdicts
from symdemo.pairs import Pair


def write_classifier(tiny_folder, folder, names):
    """A tiny sequence classifier with random weights and the tiny encoder's tokenizer."""
    from transformers import AutoConfig, AutoTokenizer, BertForSequenceClassification

    config = AutoConfig.from_pretrained(
        tiny_folder, id2label=dict(enumerate(names)), label2id={n: i for i, n in enumerate(names)}
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        BertForSequenceClassification(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_folder).save_pretrained(folder)
    return str(folder)


def test_classes_are_read_by_name(tiny_folder, tmp_path):
    name = write_classifier(tiny_folder, tmp_path, ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"])
    model = load_cross_encoder(name)
    names = ("contradiction", "neutral", "entailment")
    pairs = [Pair("Ann is with Ben", "Ben is with Ann"), Pair("Mia is part of Leo", "Leo is Mia")]
    inputs = model.tokenizer(
        [p.premise for p in pairs], [p.hypothesis for p in pairs], padding=True, return_tensors="pt"
    )
    best = model.model(**inputs).logits.argmax(-1).tolist()
    assert nli_verdicts(model, pairs) == [names[row] for row in best]


def test_other_classes_are_refused(tiny_folder, tmp_path):
    name = write_classifier(tiny_folder, tmp_path, ["positive", "negative", "mixed"])
    with pytest.raises(ModelError, match="answers positive, negative, mixed; expected: entailment"):
        load_cross_encoder(name)


def test_a_model_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(ModelError, match="neither cached nor available"):
        load_cross_encoder(str(tmp_path / "nothing"))
