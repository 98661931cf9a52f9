import { defineComponent, h } from 'vue';

/** What the drawing shows, for those who do not see it, and the two lines of each box. */
const words = {
  en: [
    'The way of a question: a buyer asks; the marketplace calls the webhook, often twice; the inbox stores that, then says 200; your handler runs, again after a kill; the answer is read back if its response is lost; the buyer reads it once.',
    ...['Buyer', 'asks', 'Marketplace', 'calls, often twice', 'Inbox', 'stores, says 200'],
    ...['Your handler', 'again after a kill', 'Answer', 'read back if lost', 'Buyer', 'reads it once'],
  ],
  es: [
    'El camino de una pregunta: el comprador pregunta; el marketplace llama al webhook, a menudo dos veces; el inbox lo guarda y responde 200; su código se ejecuta, otra vez tras un corte; la respuesta se comprueba si se pierde; el comprador la lee una vez.',
    ...['Comprador', 'pregunta', 'Marketplace', 'llama, quizá 2 veces', 'Inbox', 'guarda, luego 200'],
    ...['Su código', 'otra vez si falla', 'Respuesta', 'se comprueba', 'Comprador', 'la lee una vez'],
  ],
  pt: [
    'O caminho de uma pergunta: o comprador pergunta; o marketplace chama o webhook, muitas vezes duas vezes; o inbox guarda e responde 200; o seu código roda, de novo depois de uma queda; a resposta é conferida se ela se perde; o comprador lê uma vez.',
    ...['Comprador', 'pergunta', 'Marketplace', 'chama, às vezes 2x', 'Inbox', 'guarda, depois 200'],
    ...['Seu código', 'de novo se falhar', 'Resposta', 'é conferida', 'Comprador', 'lê uma vez'],
  ],
};

/** Where a box stands: from the left to the right, and below it back. */
const places = [
  [0, 0],
  [128, 0],
  [256, 0],
  [256, 78],
  [128, 78],
  [0, 78],
] as const;
const arrows = ['M106 23h18', 'M234 23h18', 'M307 48v26', 'M254 101h-18', 'M126 101h-18'];

/** A drawing of how a question is answered once, in the colours of the theme. */
export const WayOfAQuestion = defineComponent({
  props: { language: { type: String as () => keyof typeof words, default: 'en' } },
  setup({ language }) {
    const [label, ...lines] = words[language];
    return () =>
      h('svg', { class: 'way', viewBox: '-1 -1 362 126', role: 'img', 'aria-label': label }, [
        ...places.map(([x, y], index) =>
          h('g', { class: { ours: index > 1 && index < 5 } }, [
            h('rect', { x, y, width: 104, height: 46, rx: 8 }),
            h('text', { x: x + 52, y: y + 20, class: 'name' }, lines[2 * index]),
            h('text', { x: x + 52, y: y + 36 }, lines[2 * index + 1]),
          ]),
        ),
        ...arrows.map((d) => h('path', { d, 'marker-end': 'url(#head)' })),
        h(
          'marker',
          { id: 'head', viewBox: '0 0 6 6', refX: 5, refY: 3, markerWidth: 6, markerHeight: 6, orient: 'auto' },
          [h('path', { d: 'M0 0l6 3l-6 3z' })],
        ),
      ]);
  },
});
