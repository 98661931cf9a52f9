/** The maximum number of files in one message. */
export const attachmentsLimit = 25;
/** The maximum size of a file, in bytes: 25 MB. */
export const attachmentSizeLimit = 26_214_400;
