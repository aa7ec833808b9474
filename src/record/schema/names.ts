/** Versions of the documents, and the names of the JSON Schemas that the package ships in schema/. */
export const SCHEMA_VERSION = 1;
/** Of an inspection's document: 2 keeps its samples in a file of their own. */
export const INSPECTION_VERSION = 2;

export const RECORD_SCHEMA = 'urn:pi-bench:schema:record:1';
export const INSPECTION_SCHEMA = 'urn:pi-bench:schema:inspection:2';
