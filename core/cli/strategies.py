# SPDX-License-Identifier: AGPL-3.0-or-later
"""`strategies`: everything that is declared of them."""

import argparse

from core.cli.flags import add_output_arguments
from core.cli.printing import print_json, print_table
from core.declaration import Declaration, Parameter
from core.strategies.registry import strategies
from core.strategies.shared_options import SHARED_OPTIONS
from core.strategies.waiting import WAITING


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    parser.add_argument(
        "--shared", action="store_true", help="the options that all strategies share instead"
    )
    add_output_arguments(parser)


def run(namespace: argparse.Namespace) -> None:
    """Print them."""
    if namespace.shared:
        _print_shared(namespace)
        return
    declared = [strategy.declaration for strategy in strategies().values()]
    declared += WAITING.values()
    if namespace.json:
        print_json([declaration_json(each) for each in declared])
        return
    rows = [(d.code, d.name, d.strategy_class, _parameters(d)) for d in declared]
    print_table(("code", "name", "class", "parameters"), rows)
    print("Options that all share, such as tail.rule and reg.max: strategies --shared")


def _print_shared(namespace: argparse.Namespace) -> None:
    if namespace.json:
        print_json([_parameter_json(option) for option in SHARED_OPTIONS])
        return
    rows = [
        (option.name, option.default, ", ".join(option.choices), option.help)
        for option in SHARED_OPTIONS
    ]
    print_table(("name", "default", "choices", "what it does"), rows)


def declaration_json(declaration: Declaration) -> dict[str, object]:
    """A declaration as plain values."""
    return {
        "strategy": declaration.code,
        "name": declaration.name,
        "family": declaration.family,
        "class": declaration.strategy_class,
        "source": declaration.source,
        "help": declaration.help,
        "same_as": list(declaration.same_as),
        "presets": [
            {"name": preset.name, "parameters": dict(preset.parameters)}
            for preset in declaration.presets
        ],
        "parameters": [_parameter_json(parameter) for parameter in declaration.parameters],
        "tokenizer": declaration.tokenizer,
        "sentences": declaration.sentences,
    }


def _parameter_json(parameter: Parameter) -> dict[str, object]:
    return {
        "name": parameter.name,
        "type": parameter.type,
        "default": parameter.default,
        "minimum": parameter.minimum,
        "maximum": parameter.maximum,
        "choices": list(parameter.choices),
        "unit": parameter.unit,
        "slow": parameter.slow,
        "help": parameter.help,
    }


def _parameters(declaration: Declaration) -> str:
    return ", ".join(f"{p.name}={p.default}" for p in declaration.parameters)
