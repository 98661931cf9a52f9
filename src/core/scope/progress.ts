/** The progress of an upload. */
export interface UploadProgress {
  /** How many bytes of the file have been passed to the network. */
  readonly sentBytes: number;
  /** The size of the file, in bytes. */
  readonly totalBytes: number;
}

/** The progress of a download. */
export interface DownloadProgress {
  readonly receivedBytes: number;
  /** The size of the file, in bytes; `undefined` if the service did not state it. */
  readonly totalBytes: number | undefined;
}
