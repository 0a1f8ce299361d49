# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of the models: each function returns one that makes them from a generator."""

import torch


def image(batch, size):
    """An image of 3 channels."""
    return lambda generator: {"image": torch.randn(batch, 3, size, size, generator=generator)}


def token_ids(batch, length, vocabulary, name="input_ids"):
    """Tokens alone."""
    return lambda generator: {name: torch.randint(vocabulary, (batch, length), generator=generator)}


def masked_tokens(batch, length, vocabulary):
    """Tokens; those of the last fifth are masked."""

    def inputs(generator):
        mask = torch.ones((batch, length), dtype=torch.int64)
        mask[:, length - length // 5 :] = 0
        ids = torch.randint(vocabulary, (batch, length), generator=generator)
        return {"input_ids": ids, "attention_mask": mask}

    return inputs


def tokens(batch, length, vocabulary):
    """Masked tokens of two kinds."""

    def inputs(generator):
        data = masked_tokens(batch, length, vocabulary)(generator)
        kinds = torch.randint(2, (batch, length), generator=generator)
        return {**data, "token_type_ids": kinds}

    return inputs


def decoding(layers, heads, size, past, vocabulary, batch=1, length=1, positions=True):
    """Tokens after `past` others, whose keys and values have `heads` of `size`."""

    def inputs(generator):
        values = {"input_ids": torch.randint(vocabulary, (batch, length), generator=generator)}
        if positions:
            values["position_ids"] = torch.arange(past, past + length).expand(batch, -1)
        for name in past_names(layers):
            values[name] = torch.randn(batch, heads, past, size, generator=generator)
        return values

    return inputs


def past_names(layers):
    """Names of the inputs that are the cache."""
    return [f"past_{i}_{part}" for i in range(layers) for part in ("key", "value")]


def present(layers):
    """Names of the outputs of decoding."""
    return ("logits", *(f"present_{i}_{part}" for i in range(layers) for part in ("key", "value")))


def mel(bands, frames):
    """A spectrogram."""
    return lambda generator: {"mel": torch.randn(1, bands, frames, generator=generator)}


def listening(layers, heads, size, past, vocabulary, frames, batch=1):
    """A token after `past` others, and the encoded sound."""

    def inputs(generator):
        data = decoding(layers, heads, size, past, vocabulary, batch, 1, False)(generator)
        sound = torch.randn(batch, frames, heads * size, generator=generator)
        return {"input_ids": data.pop("input_ids"), "sound": sound, **data}

    return inputs


def translating(batch, length, read, width, vocabulary):
    """Tokens of a decoder, and what its encoder made of `read` others, the last fifth masked."""

    def inputs(generator):
        data = masked_tokens(batch, read, vocabulary)(generator)
        return {
            "decoder_input_ids": torch.randint(vocabulary, (batch, length), generator=generator),
            "attention_mask": data["attention_mask"],
            "encoded": torch.randn(batch, read, width, generator=generator),
        }

    return inputs


def proposals(count, batch, channels, size, strides):
    """Boxes of many sizes in images of `size`, and the levels of a feature pyramid."""

    def inputs(generator):
        centres = torch.rand(count, 2, generator=generator) * size
        halves = size * 2.0 ** (-1 - 5 * torch.rand(count, 2, generator=generator))
        boxes = torch.cat((centres - halves, centres + halves), dim=1).clamp(0, size)
        data = {"boxes": boxes, "images": torch.randint(batch, (count,), generator=generator)}
        for i, stride in enumerate(strides):
            shape = (batch, channels, size // stride, size // stride)
            data[f"level_{i}"] = torch.randn(shape, generator=generator)
        return data

    return inputs


def latent(batch, size):
    """What an image is to a diffusion network."""
    return lambda generator: {"latent": torch.randn(batch, 4, size, size, generator=generator)}


def diffusion(batch, size, words, text_width):
    """A latent, the step of diffusion and a text."""

    def inputs(generator):
        return {
            **latent(batch, size)(generator),
            "step": torch.randint(1000, (batch,), generator=generator),
            "text": torch.randn(batch, words, text_width, generator=generator),
        }

    return inputs


def clicks(batch, numbers, tables, bag, rows):
    """Numbers, and a bag of rows of each table."""

    def inputs(generator):
        return {
            "numbers": torch.rand(batch, numbers, generator=generator),
            "categories": torch.randint(rows, (batch, tables, bag), generator=generator),
        }

    return inputs
