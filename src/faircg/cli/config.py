"""Options from a TOML file, read as if they had been typed.

Keys are the long names of options and the names of arguments. Keys at the top are for
every command that knows them; those in a table such as ``[fit]`` are for that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import typer  # noqa: TC002 (read at run time)

from faircg.cli.named_table import nearest

_NOT_HERE: Final = frozenset({"help", "config"})


def read_config(ctx: typer.Context, config: Path | None) -> Path | None:
    """Take the defaults of a command from a file; unknown keys are an error."""
    if config is None or ctx.resilient_parsing:
        return config
    entries = _load(config)
    group: Any = ctx.parent.command if ctx.parent else ctx.command
    commands: Mapping[str, Any] = getattr(group, "commands", {})
    command = str(ctx.info_name)
    own = _keys(ctx.command)
    anywhere = {key for c in commands.values() for key in _keys(c)} | set(own)
    defaults: dict[str, Any] = {}
    for name, value in entries.items():
        if name in commands and isinstance(value, Mapping):
            known = _keys(commands[name])
            for key, item in value.items():
                param = known.get(_plain(key))
                if param is None:
                    having = [c for c in commands if _plain(key) in _keys(commands[c])]
                    raise _unknown(config, key, known, f"[{name}] has no", having)
                if name == command:
                    defaults[param.name] = _typed(config, key, item, param)
        elif _plain(name) not in anywhere:
            raise _unknown(config, name, {*anywhere, *commands}, "no command has an")
        elif _plain(name) in own:
            param = own[_plain(name)]
            defaults.setdefault(param.name, _typed(config, name, value, param))
    ctx.default_map = {**(ctx.default_map or {}), **defaults}
    return config


def _load(path: Path) -> dict[str, Any]:
    import tomllib

    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from None
    except (ValueError, RecursionError):  # Python's own limits
        raise ValueError(
            f"{path} holds what no option is: values nested too deeply, or a number "
            "of thousands of digits"
        ) from None


def _plain(key: str) -> str:
    return key.replace("-", "_")


def _keys(command: Any) -> dict[str, Any]:
    """Return the parameters of a command by the names that a file may use."""
    keys = {}
    for param in command.params:
        names = [opt[2:] for opt in param.opts if opt.startswith("--")]
        for name in names or [param.name]:
            if name not in _NOT_HERE:
                keys[_plain(name)] = param
    return keys


def _unknown(
    path: Path, key: str, known: Iterable[str], where: str, having: Iterable[str] = ()
) -> ValueError:
    """Return the error for a key; it names the nearest, or who has that option."""
    near = nearest(_plain(key), sorted(known))
    others = ", ".join(f"[{name}]" for name in having)
    hint = f"; did you mean {near!r}?" if near else ""
    if others:
        hint = f"; it is one of {others}"
    return ValueError(f"{path}: {where} option {key!r}{hint}")


def _typed(path: Path, key: str, value: Any, param: Any) -> Any:
    """Return a value as its text on the command line; flags are true or false."""
    if getattr(param, "is_flag", False):
        if not isinstance(value, bool):
            raise ValueError(f"{path}: {key} is true or false, not {value!r}")
        return value
    if getattr(param, "multiple", False):
        items = value if isinstance(value, list) else [value]
        return [_text(path, key, item) for item in items]
    return _text(path, key, value)


def _text(path: Path, key: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{path}: {key} is a text or a number, not {value!r}")
    return str(value)
