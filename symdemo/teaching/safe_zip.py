"""Zip files, written atomically and read as if made by an attacker.

An archive holds manifest.json with the SHA-256 and size of each of its files.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from symdemo.errors import InputError
from symdemo.files.storage import parse_json, replacing
from symdemo.teaching.limits import Limits
from symdemo.text import MIB, one_line, shorten

MANIFEST = "manifest.json"
_MANIFEST_BYTES = 256 * 1024
_ENTRY_BYTES = 400  # per file, of the zip's directory
_END = 22  # size of the last record of a zip without a comment
_MAX_RATIO = 200
_CHUNK = 1024 * 1024
_BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    OverflowError, OSError, struct.error,
)  # fmt: skip

Kinds = Sequence[tuple[re.Pattern, int]]
"""Patterns of the allowed names, each with the largest size of such a file."""


def write_zip(path: Path, sources: Mapping[str, Path | bytes], format: str | None = None) -> None:
    """Write a zip, whole or not at all.

    Args:
        path: the path of the zip; an old one is replaced.
        sources: name in the zip → a file or its content.
        format: the format named in the manifest; None leaves the manifest out.
    """
    listed = {}
    with replacing(path) as draft, zipfile.ZipFile(draft, "w") as archive:

        def put(name: str, data: bytes) -> None:
            info = zipfile.ZipInfo(name)  # without a time
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            if not name.endswith(".safetensors"):  # weights do not compress
                info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)

        for name, source in sources.items():
            data = source if isinstance(source, bytes) else source.read_bytes()
            listed[name] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
            put(name, data)
        if format is not None:
            put(MANIFEST, json.dumps({"format": format, "files": listed}, indent=1).encode())


def unpack(path: Path, folder: Path, format: str, kinds: Kinds, limits: Limits) -> list[str]:
    """Unpack an archive into an empty folder and return the names of its files.

    Args:
        folder: to unpack into; after an error the caller removes it.
        format: that the manifest must name.
        kinds: the allowed names and sizes.
        limits: on the bytes and files of an archive and the bytes of a project.

    Raises:
        InputError: it is too large, damaged, or holds anything that is not allowed.
    """
    try:
        with path.open("rb") as file:
            _check_end(file, limits)
            with zipfile.ZipFile(file) as archive:
                entries = _check_entries(archive.infolist(), kinds, limits)
                listed = _read_manifest(archive, entries, format)
                for name in listed:
                    _extract(archive, entries[name], folder / name, listed[name])
    except InputError:
        raise
    except _BROKEN as error:
        if getattr(error, "errno", None) == errno.ENOSPC:  # the disk is full
            raise
        raise InputError(
            f"The archive cannot be read ({type(error).__name__}); a whole zip file is expected."
        ) from None
    return list(listed)


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
    disks, number = end[4:8], int.from_bytes(end[10:12], "little")
    directory, start = (int.from_bytes(end[i : i + 4], "little") for i in (12, 16))
    limits.check("archive_entries", number)
    if any(disks) or directory + start + _END != size or directory > number * _ENTRY_BYTES:
        raise InputError("The zip file's directory does not match its end; export it again.")


def _check_entries(
    infos: Sequence[zipfile.ZipInfo], kinds: Kinds, limits: Limits
) -> dict[str, zipfile.ZipInfo]:
    """Check the entries of the zip's directory, and return them by name."""
    limits.check("archive_entries", len(infos))
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name, most = info.filename, None
        if name == info.orig_filename:  # else it contains a NUL or a backslash
            most = next((most for form, most in kinds if form.fullmatch(name)), None)
        if name == MANIFEST:
            most = _MANIFEST_BYTES
        shown = shorten(one_line(info.orig_filename))
        if most is None:
            raise InputError(
                f"The archive has the unknown file “{shown}”; an exported project is expected."
            )
        if name in entries:
            raise InputError(f"The archive has the file “{shown}” twice.")
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or info.external_attr & 0x10:  # 0x10: a folder in DOS
            raise InputError(f"The archive’s “{shown}” is a link or a folder; a file is expected.")
        if info.flag_bits & 1 or info.compress_type not in (
            zipfile.ZIP_STORED,
            zipfile.ZIP_DEFLATED,
        ):
            raise InputError(f"The archive’s “{shown}” has an unknown encryption or compression.")
        if info.file_size > most:
            raise InputError(
                f"The archive’s “{shown}” has {info.file_size:,} bytes; at most {most:,} are read."
            )
        if info.file_size > MIB and info.file_size > _MAX_RATIO * info.compress_size:
            raise InputError(
                f"The archive’s “{shown}” grows more than {_MAX_RATIO}-fold when unpacked."
            )
        entries[name] = info
    limits.check("project_bytes", sum(info.file_size for info in infos))
    return entries


def _read_manifest(
    archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], format: str
) -> dict[str, dict]:
    """Return the hash and size of exactly the other entries, by name."""
    if MANIFEST not in entries:
        raise InputError(f"The archive has no {MANIFEST}; an exported project is expected.")
    with archive.open(entries[MANIFEST]) as file:
        data = file.read(_MANIFEST_BYTES + 1)
    manifest = parse_json(data, _MANIFEST_BYTES, MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("format") != format:
        raise InputError(f"The archive’s {MANIFEST} does not name the format “{format}”.")
    listed = manifest.get("files")
    if not isinstance(listed, dict) or set(listed) != set(entries) - {MANIFEST}:
        raise InputError(f"The archive’s {MANIFEST} does not list exactly the files in it.")
    for name, values in listed.items():
        if not isinstance(values, dict) or values.get("size") != entries[name].file_size:
            raise InputError(f"The archive’s {MANIFEST} gives another size for {name}.")
    return listed


def _extract(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path, listed: Mapping[str, Any]
) -> None:
    """Write one entry, never more bytes than it declares."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with archive.open(info) as source, path.open("xb") as target:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > info.file_size:
                break
            digest.update(chunk)
            target.write(chunk)
        target.flush()
        os.fsync(target.fileno())
    if size != info.file_size or digest.hexdigest() != listed.get("sha256"):
        raise InputError(f"The archive’s {info.filename} is not the file that was exported.")
