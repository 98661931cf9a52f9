/** Returns the same response, with its body recorded while it is sent. */
export function tapBody(
  response: Response,
  maxLength: number,
  onEnd: (state: 'done' | 'broken', text: string | null) => void,
): Response {
  if (!response.body) return response;
  const isText = /json|text|javascript/.test(response.headers.get('content-type') ?? '');
  const decoder = new TextDecoder();
  let text = '';
  const recorded = (): string | null => (isText ? text : '(binary)');
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          onEnd('done', recorded());
          controller.close();
          return;
        }
        if (isText && text.length < maxLength)
          text = (text + decoder.decode(value, { stream: true })).slice(0, maxLength);
        controller.enqueue(value);
      } catch (error) {
        onEnd('broken', recorded());
        controller.error(error);
      }
    },
    cancel(reason) {
      onEnd('broken', recorded());
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
