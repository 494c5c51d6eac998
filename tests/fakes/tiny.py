"""A tiny encoder and tiny decoders with random weights, enough for most tests."""

from importlib.util import find_spec
from pathlib import Path

import pytest

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = (
    "a an and are ann anna ben bob borders by carl child cora dan different eve finn from greta "
    "hugo ida in is it jon kate kenya leo located mother of mia next nora of on oscar otto part "
    "pia sibling the to type uganda was were with x y"
)
ENTITIES = "Ann Ben Carl Dan Eve Finn Greta Hugo Ida Jon Kate Leo"
SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789"
MAX_LENGTH = 64
ANN = "Ann 25 is the mother of Ben 25."  # among the pairs that the tests' models are taught
BEN = "Ben 25 is the mother of Ann 25."


def write_tiny_encoder(folder: Path, dimension: int = 32, heads: int = 2, seed: int = 7) -> Path:
    """Write a randomly initialised BERT of two layers with a small WordPiece vocabulary."""
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
        max_position_embeddings=256,
        initializer_range=0.2,  # at the usual 0.02 all embeddings are nearly equal
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = BertModel(config)
    with quiet_transformers():
        model.save_pretrained(folder)
    return folder


def write_classifier(tiny_folder: Path, folder: Path, names: list[str]) -> str:
    """Write a tiny sequence classifier with random weights and the tiny encoder's tokenizer."""
    import torch
    from transformers import AutoConfig, AutoTokenizer, BertForSequenceClassification

    from symdemo.encoders import quiet_transformers

    config = AutoConfig.from_pretrained(
        tiny_folder, id2label=dict(enumerate(names)), label2id={n: i for i, n in enumerate(names)}
    )
    with torch.random.fork_rng(devices=[]), quiet_transformers():
        torch.manual_seed(3)
        BertForSequenceClassification(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_folder).save_pretrained(folder)
    return str(folder)


MISSING = [name for name in ("peft", "datasets") if find_spec(name) is None]
TRAINS_DECODERS = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"),
]
"""Marks of tests in which a decoder is trained."""


def keep_in_memory(patch, encoder, folder: Path) -> None:
    """Make saving use `encoder` instead of loading it again from its `folder`."""
    from symdemo.classifier import checkpoints

    load = checkpoints.load_encoder

    def give(name, device=None, *options):
        same = str(name) == str(folder) and device == "cpu"
        return encoder if same else load(name, device, *options)

    patch.setattr(checkpoints, "load_encoder", give)


KINDS = ("llama", "mistral", "qwen2", "qwen3")
LAYERS = 3
TEXTS = (
    "Ann is the mother of Ben. Kenya borders Uganda and is located next to it. Leo is a sibling of "
    "Mia. The representative word for it is: one two three x",
)


def make_tiny_decoder(kind: str, sliding: int | None = None):
    """Make a decoder of three layers with random weights, and a sliding window if given."""
    import torch
    from transformers import CONFIG_MAPPING, AutoModel

    windows = {"mistral": {"sliding_window": sliding}}
    if sliding and kind.startswith("qwen"):
        windows[kind] = {
            "use_sliding_window": True, "sliding_window": sliding, "max_window_layers": 1
        }  # fmt: skip
    config = CONFIG_MAPPING[kind](
        vocab_size=400, hidden_size=32, intermediate_size=48, num_hidden_layers=LAYERS,
        num_attention_heads=4, num_key_value_heads=2, head_dim=8, max_position_embeddings=128,
        initializer_range=0.3, bos_token_id=1, eos_token_id=2, pad_token_id=0,
        **windows.get(kind, {}),
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        return AutoModel.from_config(config).eval()


def make_tokenizer():
    """Train a byte-level BPE tokenizer, as GPT-2, LLaMA 3 and Qwen have, on `TEXTS`."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<pad>", "<s>", "</s>"]
    tokenizer.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=400, special_tokens=special, initial_alphabet=sorted(alphabet),
            show_progress=False,
        ),
    )  # fmt: skip
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>"
    )


def write_tiny_decoder(folder: Path, kind: str = "llama") -> Path:
    """Write a folder as transformers saves it, with a chat template that must have no effect."""
    from symdemo.encoders import quiet_transformers

    tokenizer = make_tokenizer()
    tokenizer.chat_template = "{% for m in messages %}USER {{ m['content'] }}{% endfor %}"
    with quiet_transformers():
        make_tiny_decoder(kind).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
