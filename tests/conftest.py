"""What the tests share: a tiny encoder, a few facts, and shape checks. No network, no GPU."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"  # before anything imports the hub's client, which reads it once
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny matrices only wait for threads

from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

if find_spec("beartype"):  # the shapes in the signatures of the mathematics hold under pytest
    install_import_hook(["symdemo.geometry", "symdemo.losses"], "beartype.beartype")

settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.load_profile("quick")

REPOSITORY = Path(__file__).resolve().parent.parent

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = (
    "a an and are ann anna ben bob borders by carl child cora dan different eve finn from greta "
    "hugo ida in is it jon kate kenya leo located mother of mia next nora of on oscar otto part "
    "pia sibling the to type uganda was were with x y"
)
ENTITIES = "Ann Ben Carl Dan Eve Finn Greta Hugo Ida Jon Kate Leo"
SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789"
MAX_LENGTH = 64


def write_tiny_encoder(
    folder: Path, dimension: int = 32, positions: int = 256, heads: int = 2, seed: int = 7
) -> Path:
    """A randomly initialised BERT of two layers with a small WordPiece vocabulary of its own."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    from symdemo.encoders import quiet_transformers

    pieces = [*SPECIAL, *SIGNS, *(f"##{c}" for c in SIGNS), *".,'-", *WORDS.split()]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    names = {f"{name.strip('[]').lower()}_token": name for name in SPECIAL}
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=MAX_LENGTH,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        **names,
    ).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=dimension,
        num_hidden_layers=2,
        num_attention_heads=heads,
        intermediate_size=2 * dimension,
        max_position_embeddings=positions,
        initializer_range=0.2,  # at the usual 0.02 all sentences have almost one embedding
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = BertModel(config)
    with quiet_transformers():
        model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory):
    """A local transformers folder; tests that damage one copy it first."""
    return write_tiny_encoder(tmp_path_factory.mktemp("encoders") / "tiny")


@pytest.fixture(scope="session")
def tiny_encoder(tiny_folder):
    from symdemo.encoders import load_encoder

    return load_encoder(tiny_folder, device="cpu")


@pytest.fixture(scope="session")
def facts():
    """Six facts of each of two symmetric and two antisymmetric relations, all entities distinct."""
    from symdemo.relations import RELATION_BY_ID, Entity, Fact

    names = ENTITIES.split()
    made = []
    for relation in ("P3373", "P1889", "P25", "P131"):
        for number in range(6):
            head, tail = names[2 * number], names[2 * number + 1]
            made.append(
                Fact(
                    RELATION_BY_ID[relation],
                    Entity(f"{head} {relation[1:]}"),
                    Entity(f"{tail} {relation[1:]}"),
                )
            )
    return tuple(made)


@pytest.fixture(scope="session")
def pairs(facts):
    """Both directions of `facts`: 48 labelled pairs, half of them entailment."""
    from symdemo.relations import pairs_of_facts

    return tuple(pairs_of_facts(facts))


@pytest.fixture(scope="session")
def quick_config():
    """Hyperparameters under which the tiny encoder learns in a fraction of a second."""
    from symdemo.training import TrainingConfig

    return TrainingConfig(
        learning_rate=3e-3, batch_size=16, epochs=4, min_steps=0, retention=0.0, recombine=0.0
    )


@pytest.fixture(scope="session")
def fitted(tiny_encoder, pairs, quick_config):
    """method → a classifier fitted with it; classifiers are immutable, so all tests share them."""
    from symdemo.classifier import SymmetryClassifier
    from symdemo.methods import METHODS

    start = SymmetryClassifier.from_encoder(tiny_encoder)
    return {method: start.fit(pairs, method=method, config=quick_config) for method in METHODS}


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"there is no folder {folder.parent.name}/{folder.name} beside the repository")
    return folder
