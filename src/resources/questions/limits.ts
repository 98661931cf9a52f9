/** The maximum length of a question or an answer, in characters. Spec: Limits. */
export const questionTextLimit = 2000;
