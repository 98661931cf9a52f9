import { defineComponent, h, shallowRef } from 'vue';
import type { Progress, ShownRequest } from '../playground.ts';

/** A button that runs the example above it, and what the example says and sends. */
export const RunExample = defineComponent({
  props: { program: { type: String, required: true } },
  setup({ program }) {
    const source = decodeURIComponent(program);
    const [, firstSeed] = /\bconst seed = (\d+);/.exec(source) ?? [];
    const seed = shallowRef(firstSeed);
    const state = shallowRef<'new' | 'running' | 'ended'>('new');
    const progress = shallowRef<Progress>({ lines: [], requests: [] });
    const failure = shallowRef('');

    async function run() {
      if (state.value === 'running') return;
      state.value = 'running';
      failure.value = '';
      try {
        const { runExample } = await import('../playground.ts');
        await runExample(source.replace(/(?<=\bconst seed = )\d+/, seed.value ?? ''), (now) => {
          progress.value = now;
        });
      } catch (error) {
        failure.value = String(error);
      }
      state.value = 'ended';
    }

    const button = () =>
      h(
        'button',
        { type: 'button', onClick: run, 'aria-disabled': state.value === 'running' },
        { new: 'Run', running: 'Running…', ended: 'Run again' }[state.value],
      );
    const chosenSeed = () =>
      h('label', [
        'Seed ',
        h('input', {
          type: 'number',
          min: 1,
          max: 9999,
          value: seed.value,
          onInput: ({ target }: Event) => {
            seed.value = String(Math.trunc(Number((target as HTMLInputElement).value)) || firstSeed);
          },
        }),
      ]);
    const shown = () => [
      part('Output', [...progress.value.lines, failure.value].filter(Boolean).join('\n')),
      h('p', { class: 'title' }, 'Requests'),
      h('ol', progress.value.requests.map(request)),
    ];
    return () =>
      h('div', { class: ['run', state.value, failure.value && 'failed'] }, [
        h('p', { class: 'start' }, [
          button(),
          firstSeed === undefined ? undefined : chosenSeed(),
          h('span', 'against the fake marketplace, in this page'),
        ]),
        h('div', { class: 'shown-run', role: 'status' }, state.value === 'new' ? [] : shown()),
      ]);
  },
});

function part(title: string, text: string) {
  return text === '' ? undefined : [h('p', { class: 'title' }, title), h('pre', text)];
}

function request({ call, status }: ShownRequest) {
  const result = status === undefined ? 'connection lost' : String(status);
  return h('li', [
    h('code', call),
    ' ',
    h('b', { class: status === undefined || status >= 400 ? 'fails' : 'passes' }, result),
  ]);
}
