/** The maximum length of a question or an answer, in characters. */
export const questionTextLimit = 2000;
