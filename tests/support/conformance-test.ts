/** A test of a store: it rejects when the store breaks the rule that its name states. */
export interface ConformanceTest {
  readonly name: string;
  run(): Promise<void>;
}

/** A test for each rule, by its name. Each opens a store, and closes it. */
export function testsOf<Store extends { close?(): Promise<void> }>(
  rules: Readonly<Record<string, (store: Store) => Promise<void>>>,
  open: () => Store | Promise<Store>,
): ConformanceTest[] {
  return Object.entries(rules).map(([name, rule]) => ({
    name,
    run: async () => {
      const store = await open();
      try {
        await rule(store);
      } finally {
        await store.close?.();
      }
    },
  }));
}
