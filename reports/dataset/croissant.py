"""Metadata of a dataset in Croissant 1.0: JSON-LD for dataset catalogues."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from nonocensus.reports.dataset.card import LICENSES, DatasetOrigin, RowCount, license_of
from nonocensus.reports.dataset.dataset_columns import SPLITS, DataFile
from nonocensus.reports.rights import HOME_PAGES
from nonocensus.reports.words.citation import AUTHOR
from nonocensus.solver.model.tables import TIME

PARQUET = "application/x-parquet"
FILES, RECORDS = "parquet-files", "puzzles"

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context of the Croissant specification."""

TYPES = {
    pa.string(): "sc:Text",
    pa.binary(): "sc:Text",  # Croissant has no type for bytes
    pa.bool_(): "sc:Boolean",
    pa.date32(): "sc:Date",
    TIME: "sc:DateTime",
    pa.uint8(): "cr:UInt8",
    pa.uint16(): "cr:UInt16",
    pa.int32(): "cr:Int32",
    pa.int64(): "cr:Int64",
    pa.float64(): "cr:Float64",
}


def croissant(
    origin: DatasetOrigin, counts: Sequence[RowCount], columns: pa.Schema, files: Sequence[DataFile]
) -> dict[str, Any]:
    """Return the metadata. List columns, which Croissant cannot describe, are only named."""
    sources = sorted({count.source for count in counts if count.source in HOME_PAGES})
    nested = [field.name for field in columns if pa.types.is_nested(field.type)]
    others = f" The files have more columns, of lists: {', '.join(nested)}." if nested else ""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"nonocensus-{origin.run_id}",
        "description": "A census of nonograms: verdicts, counters, times and measures of difficulty.",
        "creator": {"@type": "sc:Organization", "name": AUTHOR},
        "keywords": origin.keywords,
        "isBasedOn": [HOME_PAGES[source] for source in sources],
        "license": LICENSES.get(license_of(origin.content, counts), "README.md says which licences the rows have"),
        "version": "1.0.0",
        "datePublished": origin.finished,
        "citeAs": origin.citation,
        "distribution": [*map(_file, files), _file_set()],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": RECORDS,
                "name": RECORDS,
                "description": f"A row for each puzzle.{others}",
                "key": {"@id": f"{RECORDS}/puzzle_id"},
                "field": [_split(), *(_field(field) for field in columns if field.name not in nested)],
            }
        ],
    }


def _file(file: DataFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{file.size} B",
        "encodingFormat": PARQUET,
        "sha256": file.sha256,
    }


def _file_set() -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": FILES,
        "name": FILES,
        "description": "The files of all splits.",
        "encodingFormat": PARQUET,
        "includes": "data/*.parquet",
    }


def _split() -> dict[str, Any]:
    """Return the field `split`, which follows from the file name."""
    return {
        "@type": "cr:Field",
        "@id": f"{RECORDS}/split",
        "name": "split",
        "description": "train, validation or test",
        "dataType": "sc:Text",
        "source": {
            "fileSet": {"@id": FILES},
            "extract": {"fileProperty": "fullpath"},
            "transform": {"regex": f"^data/({'|'.join(SPLITS)})-.+\\.parquet$"},
        },
    }


def _field(field: pa.Field) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{RECORDS}/{field.name}",
        "name": field.name,
        "description": field.metadata[b"description"].decode(),
        "dataType": TYPES[field.type],
        "source": {"fileSet": {"@id": FILES}, "extract": {"column": field.name}},
    }
