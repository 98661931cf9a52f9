/** Options of one call. They take precedence over the client's. */
export interface CallOptions {
  /**
   * Aborts the call immediately, also while it waits.
   *
   * @default none
   * @example
   * await seller.questions.get({ question_id: 42 }, { signal: AbortSignal.timeout(5000) });
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * The time limit of one attempt in milliseconds, including its response body.
   *
   * @default the client's `timeoutMs`
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The time limit of the whole call in milliseconds, including its retries and waits. For an iteration, it limits the
   * time of all requests together.
   *
   * @default the client's `deadlineMs`
   */
  readonly deadlineMs?: number | undefined;
  /**
   * The maximum number of retries. The client retries only if that is safe.
   *
   * @default the client's `maxRetries`
   */
  readonly maxRetries?: number | undefined;
  /**
   * How long the service may still carry out a write whose response was lost, in milliseconds: `unknownOutcome: 'confirm'`
   * and `confirm()` of an error read back for this long. 0 reads back once.
   *
   * @default 3_000; after a timeout at least `timeoutMs`
   */
  readonly confirmWindowMs?: number | undefined;
  /**
   * Headers to add. They replace the client's headers of the same name. For another token, use `accessToken`: a client with
   * a token replaces `authorization`.
   *
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Query parameters to add, for undocumented parameters. `attributes` and `callback` are rejected.
   *
   * @default none
   * @example
   * await seller.questions.get({ question_id: 42 }, { query: { api_version: 4 } });
   */
  readonly query?: Readonly<Record<string, string | number | boolean>> | undefined;
  /**
   * Another access token for this call; `null` sends none.
   *
   * @default the client's `accessToken`
   */
  readonly accessToken?: string | null | undefined;
}

/** Call options that only some methods offer. */
export interface InternalOptions extends CallOptions {
  /** The fields to request. The type of a method that offers this option lists them. */
  readonly attributes?: readonly string[] | undefined;
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
  readonly onDownloadProgress?: ((progress: DownloadProgress) => void) | undefined;
}

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
