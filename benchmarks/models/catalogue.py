# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The models of the benchmarks in their real sizes."""

from functools import partial

from definitions.bert import Bert
from definitions.convnext import ConvNeXt
from definitions.diffusion import DiffusionBlock, VaeDecoder
from definitions.dlrm import Dlrm
from definitions.efficientnet import EfficientNet
from definitions.gpt2 import Gpt2
from definitions.llama import Linear4, Llama
from definitions.mask_rcnn import MaskRCNNHeads
from definitions.mobilenet import MobileNetV3
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
    present,
    proposals,
    token_ids,
    tokens,
    translating,
)
from model import Model
from quantization import quantized
from torch import nn

BERT_OUTPUTS = ("hidden", "pooled")
YOLO_OUTPUTS = ("image_index", "class", "box", "score")
MASK_OUTPUTS = ("scores", "moves", "masks")

MODELS = {
    "resnet50": Model(ResNet, image(1, 224), images=True),
    "resnet50_b8": Model(ResNet, image(8, 224), images=True),
    "resnet50_qdq": Model(ResNet, image(1, 224), images=True, change=quantized),
    "mobilenet_v3": Model(MobileNetV3, image(1, 224), images=True),
    "efficientnet_b0": Model(EfficientNet, image(1, 224), images=True),
    "convnext_tiny": Model(ConvNeXt, image(1, 224), images=True),
    "unet": Model(UNet, image(1, 256), images=True),
    "vit_b16": Model(ViT, image(1, 224)),
    "swin_t": Model(Swin, image(1, 224)),
    "bert_base_128": Model(Bert, tokens(1, 128, 30522), BERT_OUTPUTS),
    "bert_base_128_qdq": Model(Bert, tokens(1, 128, 30522), BERT_OUTPUTS, change=quantized),
    "gpt2_decode_512": Model(Gpt2, decoding(12, 12, 64, 512, 50257), present(12)),
    "llama_decode_512": Model(Llama, decoding(30, 3, 64, 512, 49152), present(30)),
    "llama4bit_decode_512": Model(
        partial(Llama, linear=Linear4), decoding(30, 3, 64, 512, 49152), present(30)
    ),
    "t5_small_encoder": Model(T5Encoder, masked_tokens(1, 128, 32128)),
    "t5_small_decoder": Model(T5Decoder, translating(1, 16, 128, 512, 32128)),
    "whisper_base": Model(WhisperEncoder, mel(80, 3000)),
    "whisper_tiny": Model(lambda: WhisperEncoder(4, 384, 6), mel(80, 3000)),
    "whisper_tiny_decoder": Model(WhisperDecoder, listening(4, 6, 64, 32, 51865, 1500), present(4)),
    "yolo": Model(Yolo, image(1, 640), YOLO_OUTPUTS, images=True),
    "mask_rcnn_heads": Model(
        MaskRCNNHeads, proposals(100, 1, 256, 800, (4, 8, 16, 32)), MASK_OUTPUTS
    ),
    "lstm_tagger": Model(Tagger, token_ids(4, 64, 10000)),
    "gru_tagger": Model(partial(Tagger, nn.GRU), token_ids(4, 64, 10000)),
    "diffusion_block": Model(DiffusionBlock, diffusion(1, 32, 77, 768)),
    "vae_decoder": Model(VaeDecoder, latent(1, 16), images=True),
    "dlrm": Model(Dlrm, clicks(64, 13, 26, 4, 10000)),
    # For GPUs.
    "resnet50_b32": Model(ResNet, image(32, 224), images=True),
    "resnet50_b128": Model(ResNet, image(128, 224), images=True),
    "bert_base_32x128": Model(Bert, tokens(32, 128, 30522), BERT_OUTPUTS),
}
