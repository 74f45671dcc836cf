"""The page's sources as it holds them: ES modules become one script without imports, the style sheet one text.

Joined, the modules share one scope, so that names at their top must differ: no browser and no type checker asks for
that, so it is asked for here. They are read as prettier leaves them, and refused where that would not do.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath

_COMMENT = re.compile(r"/\*.*?\*/[ \t]*", re.DOTALL)
_LINE_COMMENT = re.compile(r"^[ \t]*//.*", re.MULTILINE)
_IMPORT = re.compile(r"^import \{([^}]*)\} from '(\.[^']*)';$", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|let|function|class) )", re.MULTILINE)
_DECLARED = re.compile(r"^(export )?(?:const|let|function|class) ([\w$]+)", re.MULTILINE)
# What would hide a name: other imports and exports, and several names in one declaration.
_HIDING = re.compile(
    r"^(?:import|export(?! (?:const|let|function|class) )|var|async|(?:export )?(?:const|let) (?:[\[{]|.*,$)).*",
    re.MULTILINE,
)
# Texts and regular expressions, which stay as they are; signs, around which no space is needed; and what would be
# mistaken for one of these: a comment behind code, a regular expression that begins with a space (a division stands
# between two), a quote that does not end on its line.
_TOKEN = re.compile(
    r"""(?P<kept>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\\n])*`"""
    r"""|/(?![*/ \n])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)"""
    r"""|(?P<refused>//|(?<! )/ |['"`]).*"""
    r"""|[ \t]*(?P<sign>[=,;:?!{}()\[\]<>&|*])[ \t]*"""
)


@dataclass(frozen=True)
class EsModule:
    """A script without its imports and exports: what it takes from where, and the names at its top."""

    body: str
    imports: Mapping[str, tuple[str, ...]]
    names: tuple[str, ...]
    exports: frozenset[str]


def joined_modules(entry: str, read: Callable[[str], str], made: Mapping[str, Collection[str]]) -> str:
    """Join the module `entry` to all that it needs; `made` are modules whose names stand in the page already.

    >>> sources = {
    ...     "page.js": "import {double} from './parts/sums.js';\\n\\nshow(double(2));\\n",
    ...     "parts/sums.js": "// Sums.\\nexport const double = x => {\\n  return 2 * x;\\n};\\n",
    ... }
    >>> print(joined_modules("page.js", sources.__getitem__, made={}))
    const double=x=>{return 2*x;};
    show(double(2));
    """
    modules: dict[str, EsModule] = {}

    def add(path: str, above: tuple[str, ...]) -> None:
        if path in above:
            raise ValueError(f"modules import each other in a circle: {' -> '.join([*above, path])}.")
        if path in modules or path in made:
            return
        module = parsed(path, read(path))
        for other in module.imports:
            add(other, (*above, path))
        modules[path] = module

    add(entry, ())
    _check(modules, made)
    return "\n".join(module.body for module in modules.values())


def _check(modules: Mapping[str, EsModule], made: Mapping[str, Collection[str]]) -> None:
    """Check that what is imported is exported, and that each name at the top has one home."""
    exports = {**made, **{path: module.exports for path, module in modules.items()}}
    homes = {name: path for path, names in made.items() for name in names}
    for path, module in modules.items():
        for name, other in ((name, other) for other, names in module.imports.items() for name in names):
            if name not in exports[other]:
                raise ValueError(f"{path} imports {name!r} from {other}, which does not export it.")
        for name in module.names:
            if name in homes:
                raise ValueError(f"{homes[name]} and {path} both declare {name!r}; names at the top must differ.")
            homes[name] = path


def parsed(path: str, text: str) -> EsModule:
    """One module, read; `path` is where its own imports start from."""
    code = _LINE_COMMENT.sub("", _COMMENT.sub("", text))
    rest = _IMPORT.sub("", code)
    hiding = _HIDING.search(rest)
    if hiding:
        raise ValueError(f"{path} holds {hiding[0][:60]!r}, which cannot be joined.")
    imports = {
        normpath(join(dirname(path), source)): tuple(each.strip() for each in names.split(",") if each.strip())
        for names, source in _IMPORT.findall(code)
    }
    declared, body = _DECLARED.findall(rest), compact_script(_EXPORT.sub("", rest), path)
    exports = frozenset(name for export, name in declared if export)
    return EsModule(body, imports, tuple(name for _, name in declared), exports)


def compact_script(code: str, path: str) -> str:
    """Remove indentation, empty lines and spaces around signs, which only readers of the source need.

    >>> compact_script("if (a === 'b = c') {\\n  say(a, 1);\\n}\\n", "page.js")
    "if(a==='b = c'){say(a,1);}"
    """

    def kept(token: re.Match[str]) -> str:
        text = token["kept"] or ""
        if token["refused"] or (text[:1] == "`" and text.count("{") != text.count("}")):
            raise ValueError(f"{path} holds {token[0][:60]!r}, which cannot be made compact.")
        return text or token["sign"]

    return re.sub(r"(?<=[,({\[])\n|\n(?=[)}\]])", "", _without_layout(_TOKEN.sub(kept, code)))


def compact_style(text: str) -> str:
    """Return a style sheet without comments and layout.

    >>> compact_style("p, a {\\n  /* Short. */\\n  margin: 0 1px;\\n}\\n")
    'p,a{margin:0 1px;}'
    """
    return re.sub(r"(?<=[:,;{}])\s+|\s+(?=\{)", "", _without_layout(_COMMENT.sub("", text)))


def _without_layout(text: str) -> str:
    return "\n".join(filter(None, map(str.strip, text.splitlines())))
