"""Zip files, written atomically and read as if made by an attacker.

An archive holds manifest.json with the SHA-256 and size of each of its files.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from symdemo.errors import InputError
from symdemo.files.storage import parse_json, replacing
from symdemo.teaching.limits import Limits
from symdemo.text import MIB, one_line, shorten

MANIFEST = "manifest.json"
_MANIFEST_BYTES = 256 * 1024
_ENTRY_BYTES = 400  # per file, of the zip's directory
_END = 22  # size of the last record of a zip without a comment
_MAX_RATIO = 200
_BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    OverflowError, OSError, struct.error,
)  # fmt: skip

Kinds = Sequence[tuple[re.Pattern, int]]
"""Patterns of the allowed names, each with the largest size of such a file."""


def write_zip(path: Path, sources: Mapping[str, Path | bytes], format: str | None = None) -> None:
    """Write name → file or content to a zip atomically, with a manifest if there is a format."""
    listed = {}
    with replacing(path) as draft, zipfile.ZipFile(draft, "w") as archive:
        for name, source in sources.items():
            data = source if isinstance(source, bytes) else source.read_bytes()
            listed[name] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
            _put(archive, name, data)
        if format is not None:
            manifest = json.dumps({"format": format, "files": listed}, indent=1)
            _put(archive, MANIFEST, manifest.encode())


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name)  # without a time
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    if not name.endswith(".safetensors"):  # weights do not compress
        info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def unpack(path: Path, folder: Path, format: str, kinds: Kinds, limits: Limits) -> list[str]:
    """Unpack an archive into an empty folder and return the names of its files.

    `InputError` if it is too large, damaged, or holds anything that is not allowed. After an error
    the caller removes the folder.
    """
    try:
        with path.open("rb") as file:
            _check_end(file, limits)
            with zipfile.ZipFile(file) as archive:
                sizes = _check_entries(archive.infolist(), kinds, limits)
                hashes = _read_manifest(archive, sizes, format)
                for name, digest in hashes.items():
                    _extract(archive, name, folder / name, digest)
    except InputError:
        raise
    except _BROKEN as error:
        if getattr(error, "errno", None) == errno.ENOSPC:  # the disk is full
            raise
        raise InputError(
            f"The archive cannot be read ({type(error).__name__}); a whole zip file is expected."
        ) from None
    return list(hashes)


def _check_end(file: IO[bytes], limits: Limits) -> None:
    """Bound what `zipfile` reads into memory: the directory, as the last record describes it."""
    size = os.fstat(file.fileno()).st_size
    limits.check("archive_bytes", size)
    file.seek(max(0, size - _END - 20))
    tail = file.read()
    end = tail[-_END:]
    plain = len(end) == _END and end[:4] == b"PK\x05\x06" and end[-2:] == b"\0\0"
    if not plain or tail[:4] == b"PK\x06\x07":
        raise InputError("The file is not a zip file as this app writes them, or was cut short.")
    disks, _, number, directory, start = struct.unpack("<IHHII", end[4:20])
    limits.check("archive_entries", number)
    if disks or directory + start + _END != size or directory > number * _ENTRY_BYTES:
        raise InputError("The zip file's directory does not match its end; export it again.")


def _check_entries(
    infos: Sequence[zipfile.ZipInfo], kinds: Kinds, limits: Limits
) -> dict[str, int]:
    """Check the entries of the zip's directory, and return their sizes by name."""
    limits.check("archive_entries", len(infos))
    sizes: dict[str, int] = {}
    for info in infos:
        name, size, most = info.filename, info.file_size, None
        if name == info.orig_filename:  # else it contains a NUL or a backslash
            most = next((most for form, most in kinds if form.fullmatch(name)), None)
        if name == MANIFEST:
            most = _MANIFEST_BYTES
        shown = f"“{shorten(one_line(info.orig_filename))}”"
        if most is None:
            raise InputError(
                f"The archive has the unknown file {shown}; an exported project is expected."
            )
        if name in sizes:
            raise InputError(f"The archive has the file {shown} twice.")
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or info.external_attr & 0x10:  # 0x10: a folder in DOS
            raise InputError(f"The archive’s {shown} is a link or a folder; a file is expected.")
        plain = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if info.flag_bits & 1 or not plain:
            raise InputError(f"The archive’s {shown} has an unknown encryption or compression.")
        if size > most:
            raise InputError(
                f"The archive’s {shown} has {size:,} bytes; at most {most:,} are read."
            )
        if size > MIB and size > _MAX_RATIO * info.compress_size:
            raise InputError(
                f"The archive’s {shown} grows more than {_MAX_RATIO}-fold when unpacked."
            )
        sizes[name] = size
    limits.check("project_bytes", sum(sizes.values()))
    return sizes


def _read_manifest(
    archive: zipfile.ZipFile, sizes: Mapping[str, int], format: str
) -> dict[str, str]:
    """Return the hashes of exactly the other entries, by name."""
    if MANIFEST not in sizes:
        raise InputError(f"The archive has no {MANIFEST}; an exported project is expected.")
    with archive.open(MANIFEST) as file:
        data = file.read(_MANIFEST_BYTES + 1)
    manifest = parse_json(data, _MANIFEST_BYTES, MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("format") != format:
        raise InputError(f"The archive’s {MANIFEST} does not name the format “{format}”.")
    listed = manifest.get("files")
    if not isinstance(listed, dict) or set(listed) != set(sizes) - {MANIFEST}:
        raise InputError(f"The archive’s {MANIFEST} does not list exactly the files in it.")
    for name, values in listed.items():
        if not isinstance(values, dict) or values.get("size") != sizes[name]:
            raise InputError(f"The archive’s {MANIFEST} gives another size for {name}.")
    return {name: str(values.get("sha256")) for name, values in listed.items()}


def _extract(archive: zipfile.ZipFile, name: str, path: Path, expected: str) -> None:
    """Write one entry; `zipfile` never gives more bytes than the directory declares."""
    path.parent.mkdir(parents=True, exist_ok=True)
    size = archive.getinfo(name).file_size
    with archive.open(name) as source, path.open("x+b") as target:
        shutil.copyfileobj(source, target)
        target.flush()
        os.fsync(target.fileno())
        target.seek(0)
        digest = hashlib.file_digest(target, "sha256").hexdigest()
    if path.stat().st_size != size or digest != expected:
        raise InputError(f"The archive’s {name} is not the file that was exported.")
