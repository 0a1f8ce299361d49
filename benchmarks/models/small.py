# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The same networks with few and narrow layers, for tests."""

from functools import partial

from catalogue import BERT_OUTPUTS, MASK_OUTPUTS, YOLO_OUTPUTS
from definitions.bert import Bert
from definitions.convnext import ConvNeXt
from definitions.diffusion import DiffusionBlock, VaeDecoder
from definitions.dlrm import Dlrm
from definitions.efficientnet import B0, EfficientNet
from definitions.gpt2 import Gpt2
from definitions.llama import Linear4, Llama
from definitions.mask_rcnn import MaskRCNNHeads
from definitions.mobilenet import LARGE, MobileNetV3
from definitions.resnet import ResNet
from definitions.swin import Swin
from definitions.t5 import T5Decoder, T5Encoder
from definitions.tagger import Tagger
from definitions.unet import UNet
from definitions.vit import ViT
from definitions.whisper import WhisperEncoder
from definitions.whisper_decoder import WhisperDecoder
from definitions.yolo import Yolo
from inputs import (
    clicks,
    decoding,
    diffusion,
    image,
    latent,
    listening,
    masked_tokens,
    mel,
    past_names,
    present,
    proposals,
    token_ids,
    tokens,
    translating,
)
from model import Model
from quantization import quantized
from torch import nn

RANGES = {
    "batch": (1, 4),
    "length": (1, 16),
    "past": (1, 32),
    "read": (1, 16),
    "boxes": (1, 32),
}


def dynamic(**names):
    """Settings of a model whose inputs have named axes: x=("batch", "length")."""
    axes = {
        name: {i: label for i, label in enumerate(labels) if label}
        for name, labels in names.items()
    }
    used = {label for labels in names.values() for label in labels if label}
    return {"dynamic": axes, "ranges": {label: RANGES[label] for label in sorted(used)}}


def cache(layers):
    """The axes of a cache."""
    return dict.fromkeys(past_names(layers), ("batch", "", "past"))


BATCH = dynamic(image=("batch",))
WORDS = ("batch", "length")

SMALL = {
    "resnet": Model(lambda: ResNet((1, 2), 8, 10), image(2, 32), **BATCH),
    "resnet_qdq": Model(lambda: ResNet((1, 2), 8, 10), image(2, 32), change=quantized),
    "mobilenet": Model(
        lambda: MobileNetV3((LARGE[0], LARGE[3], (3, 80, 24, True, True, 1)), 32, 10), image(1, 32)
    ),
    "efficientnet": Model(lambda: EfficientNet(B0[:3], 16, 32, 10), image(1, 32), **BATCH),
    "convnext": Model(lambda: ConvNeXt((1, 1), 16, 10), image(1, 32), **BATCH),
    "unet": Model(lambda: UNet(2, 8, 3), image(2, 16), **BATCH),
    "vit": Model(lambda: ViT(2, 32, 4, 8, 32, 10), image(2, 32), **BATCH),
    "swin": Model(lambda: Swin((2, 2), 16, 2, 4, 2, 32, 10), image(2, 32), **BATCH),
    "bert": Model(lambda: Bert(2, 32, 4, 50, 16), tokens(2, 10, 50), BERT_OUTPUTS),
    "bert_dynamic": Model(
        lambda: Bert(1, 32, 4, 50, 16),
        tokens(2, 10, 50),
        BERT_OUTPUTS,
        **dynamic(input_ids=WORDS, attention_mask=WORDS, token_type_ids=WORDS),
    ),
    "bert_qdq": Model(
        lambda: Bert(2, 32, 4, 50, 16), tokens(2, 10, 50), BERT_OUTPUTS, change=quantized
    ),
    "gpt2": Model(
        lambda: Gpt2(2, 32, 4, 60, 64),
        decoding(2, 4, 8, 6, 60),
        present(2),
        **dynamic(input_ids=("batch",), position_ids=("batch",), **cache(2)),
    ),
    "llama": Model(
        lambda: Llama(2, 32, 4, 2, 48, 60),
        decoding(2, 2, 8, 6, 60, 2, 3),
        present(2),
        **dynamic(input_ids=WORDS, position_ids=WORDS, **cache(2)),
    ),
    "llama4bit": Model(
        lambda: Llama(2, 64, 4, 2, 96, 60, Linear4),
        decoding(2, 2, 16, 6, 60, 2, 3),
        present(2),
        **dynamic(input_ids=WORDS, position_ids=WORDS, **cache(2)),
    ),
    "t5_encoder": Model(
        lambda: T5Encoder(2, 32, 4, 8, 64, 50),
        masked_tokens(2, 10, 50),
        **dynamic(input_ids=WORDS, attention_mask=WORDS),
    ),
    "t5_decoder": Model(
        lambda: T5Decoder(2, 32, 4, 8, 64, 50),
        translating(2, 6, 10, 32, 50),
        **dynamic(
            decoder_input_ids=WORDS, attention_mask=("batch", "read"), encoded=("batch", "read")
        ),
    ),
    "whisper": Model(lambda: WhisperEncoder(2, 32, 4, 16, 12), mel(16, 24)),
    "whisper_decoder": Model(
        lambda: WhisperDecoder(2, 32, 4, 50, 40),
        listening(2, 4, 8, 6, 50, 12, 2),
        present(2),
        **dynamic(input_ids=("batch",), sound=("batch",), **cache(2)),
    ),
    "yolo": Model(lambda: Yolo(4, (1, 1, 1, 1), 64, 3, 0.5), image(2, 64), YOLO_OUTPUTS, **BATCH),
    "mask_rcnn": Model(
        lambda: MaskRCNNHeads(8, 32, 5, (4, 8, 16), 32),
        proposals(12, 2, 8, 64, (4, 8, 16)),
        MASK_OUTPUTS,
        **dynamic(boxes=("boxes",), images=("boxes",)),
    ),
    "lstm_tagger": Model(
        lambda: Tagger(nn.LSTM, 40, 8, 12, 2, 5), token_ids(2, 7, 40), **dynamic(input_ids=WORDS)
    ),
    "gru_tagger": Model(
        lambda: Tagger(nn.GRU, 40, 8, 12, 2, 5), token_ids(2, 7, 40), **dynamic(input_ids=WORDS)
    ),
    "diffusion": Model(
        partial(DiffusionBlock, 16, 4, 4, 24),
        diffusion(2, 8, 5, 24),
        **dynamic(latent=("batch",), step=("batch",), text=("batch",)),
    ),
    "vae_decoder": Model(
        lambda: VaeDecoder((16, 8), 4, 2), latent(2, 6), **dynamic(latent=("batch",))
    ),
    "dlrm": Model(
        lambda: Dlrm(4, 20, 8, (5, 16), (24,)),
        clicks(3, 5, 4, 3, 20),
        **dynamic(numbers=("batch",), categories=("batch",)),
    ),
}
