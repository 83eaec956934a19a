"""pcg: procedural content generation for games."""

from pathlib import Path as _Path

# A checkout keeps the sub-packages beside this folder; a non-editable install has them inside it.
_root = _Path(__file__).resolve().parent.parent
if (_root / "engine" / "vgdl").is_dir() and (_root / "generators").is_dir():
    __path__.append(str(_root))

__version__ = "0.1.0"
