"""Metadata of a dataset in Croissant 1.0: JSON-LD for dataset catalogues."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from nonocensus.reports.dataset.card import KEYWORDS, LICENSES, DatasetOrigin, RowCount, licenses_of
from nonocensus.reports.dataset.dataset_columns import SPLITS, DataFile
from nonocensus.reports.rights import HOME_PAGES
from nonocensus.reports.words.citation import AUTHOR
from nonocensus.solver.model.tables import TIME

PARQUET = "application/x-parquet"
FILES, RECORDS = "parquet-files", "puzzles"

CROISSANT_NAMES = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in CROISSANT_NAMES},
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

SPLIT = {
    "extract": {"fileProperty": "fullpath"},
    "transform": {"regex": f"^data/({'|'.join(SPLITS)})-.+\\.parquet$"},
}
"""The source of the field `split`: the file's name."""


def croissant(
    origin: DatasetOrigin, counts: Sequence[RowCount], columns: pa.Schema, files: Sequence[DataFile]
) -> dict[str, Any]:
    """Return the metadata. List columns, which Croissant cannot describe, are only named."""
    sites = sorted({count.source for count in counts if count.source in HOME_PAGES})
    licenses = [LICENSES[name] for name in licenses_of(origin.content, counts)]
    nested = [column.name for column in columns if pa.types.is_nested(column.type)]
    others = f" The files have more columns, of lists: {', '.join(nested)}." if nested else ""
    graded = f" {origin.graded:,} of the {origin.unique:,} puzzles with one solution are graded." * (origin.graded > 0)
    fields = [_field("split", "train, validation or test", "sc:Text", SPLIT)]
    for column in columns:
        if column.name not in nested:
            source = {"extract": {"column": column.name}}
            fields.append(_field(column.name, column.metadata[b"description"].decode(), TYPES[column.type], source))
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": origin.title or f"nonocensus-{origin.summary['run_id']}",
        "description": f"A census of nonograms: verdicts, counters, times and measures of difficulty.{graded}",
        "creator": {"@type": "sc:Organization", "name": origin.by or AUTHOR},
        "keywords": KEYWORDS,
        "isBasedOn": [HOME_PAGES[site] for site in sites],
        "license": licenses if len(licenses) > 1 else [*licenses, "README.md#licence"][0],
        "version": "1.0.0",
        "datePublished": origin.summary["last_finished"],
        "citeAs": origin.citation,
        "distribution": [
            *map(_file, files),
            {
                "@type": "cr:FileSet",
                "@id": FILES,
                "name": FILES,
                "description": "The files of all splits.",
                "encodingFormat": PARQUET,
                "includes": "data/*.parquet",
            },
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": RECORDS,
                "name": RECORDS,
                "description": f"A row for each puzzle.{others}",
                "key": {"@id": f"{RECORDS}/puzzle_id"},
                "field": fields,
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


def _field(name: str, description: str, data_type: str, source: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{RECORDS}/{name}",
        "name": name,
        "description": description,
        "dataType": data_type,
        "source": {"fileSet": {"@id": FILES}, **source},
    }
