"""Tiny decoders with random weights, of every model type that can look back."""

from pathlib import Path

KINDS = ("llama", "mistral", "qwen2", "qwen3")
LAYERS = 3
TEXTS = (
    "Ann is the mother of Ben. Kenya borders Uganda and is located next to it. Leo is a sibling of "
    "Mia. The representative word for it is: one two three x",
)


def make_tiny_decoder(kind: str, sliding: int | None = None, seed: int = 7):
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
        torch.manual_seed(seed)
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


def write_tiny_decoder(folder: Path, kind: str = "llama", seed: int = 7) -> Path:
    """Write a folder as transformers saves it, with a chat template that must have no effect."""
    from symdemo.encoders import quiet_transformers

    tokenizer = make_tokenizer()
    tokenizer.chat_template = "{% for m in messages %}USER {{ m['content'] }}{% endfor %}"
    with quiet_transformers():
        make_tiny_decoder(kind, seed=seed).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
