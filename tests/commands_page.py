"""The reference of commands: `python -m tests.commands_page` writes it anew from what the commands say of themselves."""

import contextlib
import io
import os
from pathlib import Path
from unittest import mock

import typer.main

from labelbandit.cli import app, main

PAGE = Path(__file__).resolve().parent.parent / "docs" / "commands.md"


def commands():
    """Every command as the words one types, groups as their commands."""

    def below(command, words):
        if not hasattr(command, "commands"):
            yield words
            return
        for name, inner in command.commands.items():
            yield from below(inner, (*words, name))

    return list(below(typer.main.get_command(app), ()))


def help_on(words):
    """What a command says of itself, on a terminal of 80 columns."""
    with mock.patch.dict(os.environ, COLUMNS="80"), contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([*words, "--help"]) == 0
    return out.getvalue().strip()


def reference():
    """A section for each command."""
    return "\n".join(f"## `{' '.join(words)}`\n\n```text\n{help_on(words)}\n```\n" for words in commands())


if __name__ == "__main__":
    introduction = PAGE.read_text("utf-8").partition("\n## ")[0]
    PAGE.write_text(f"{introduction}\n{reference()}", "utf-8")
