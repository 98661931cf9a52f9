import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { unknown } from '../../core/schema/define.js';
import { FakeMarketplaceError, readAs, assertObject } from '../errors.js';
import { allEndpoints, Routes } from '../http/routes.js';
import type { EndpointHandler } from '../http/handler.js';
import { assertOperation, handlerOf, handlerOfStub, nameOfStub, stub as stubSchema } from './operation.js';
import type { Operation, Stub } from './operation.js';
import { neighbours } from '../neighbours.js';

interface OwnOperation {
  readonly endpoint: DescribedEndpoint;
  readonly handler: EndpointHandler;
  /** Whether it stays after a reset. */
  readonly stays: boolean;
}

/** An operation that a marketplace has besides those of the service. */
export type OperationSummary = Operations['all'][number];

/**
 * The operations of your own: those of the constructor's option `operations`, and stubs.
 *
 * @example
 * marketplace.operations.stub({ method: 'GET', path: '/users/{user_id}/brands', body: [] });
 * console.log(marketplace.operations.all); // [{ name: 'GET /users/{user_id}/brands', ... }]
 * marketplace.operations.remove('GET /users/{user_id}/brands');
 */
export class Operations {
  /** @internal The endpoints of the service and of these operations. */
  readonly routes = new Routes();
  readonly #marketplace: unknown;
  readonly #neighbours: readonly OwnOperation[];
  #own = new Map<string, OwnOperation>();

  /** @internal @param marketplace what the handlers get */
  constructor(marketplace: unknown) {
    this.#marketplace = marketplace;
    this.#neighbours = neighbours.map((operation) => this.#read(operation));
    this.#changed();
  }

  /** All operations of your own, the oldest first. */
  get all(): readonly {
    readonly name: string;
    readonly method: string;
    readonly path: string;
  }[] {
    return Array.from(this.#own.values(), ({ endpoint: { name, method, path } }) => ({ name, method, path }));
  }

  /** @internal Adds an operation that stays after a reset. @throws {FakeMarketplaceError} */
  add(operation: Operation): void {
    assertOperation(operation);
    this.#set(this.#read(operation));
  }

  /** @internal Adds an operation or a stub of a seed, until a reset. @throws {FakeMarketplaceError} */
  seed(own: unknown): void {
    assertObject('an operation', own);
    if (!('endpoint' in own) && !('handle' in own)) this.stub(own as Stub);
    else {
      assertOperation(own as Operation);
      this.#set({ ...this.#read(own as Operation), stays: false });
    }
  }

  /**
   * Responds to the calls of a path with a fixed status and body, until the marketplace is reset. A stub of the same name
   * is replaced.
   *
   * @throws {FakeMarketplaceError} that names the invalid field
   */
  stub(init: Stub): Operations['all'][number] {
    const checked = readAs(stubSchema, init);
    const { method, path } = checked;
    const name = nameOfStub(checked);
    const handler = handlerOfStub(checked);
    const schemas = { input: unknown, output: unknown };
    const retry = method === 'GET' ? ('safe' as const) : ('unsafe' as const);
    const endpoint = {
      name,
      method,
      path: path as `/${string}`,
      ...schemas,
      retry,
      errors: [],
      summary: name,
      example: {},
    };
    const isReplaced = this.#own.get(name)?.stays === false;
    this.#set({ endpoint, handler, stays: false }, isReplaced ? name : undefined);
    return { name, method, path };
  }

  /** Removes a stub. @throws {FakeMarketplaceError} when there is none of this name */
  remove(name: string): void {
    if (this.#own.get(name)?.stays !== false) throw new FakeMarketplaceError(`there is no stub "${name}"`);
    this.#own.delete(name);
    this.#changed();
  }

  /** @internal Removes all stubs, and the operations of seeds. */
  reset(): void {
    this.#own = new Map([...this.#own].filter(([, { stays }]) => stays));
    this.#changed();
  }

  /** @internal Returns the handler of an endpoint of your own. */
  handlerOf({ name }: Pick<DescribedEndpoint, 'name'>): EndpointHandler | undefined {
    return [...this.#own.values(), ...this.#neighbours].find((each) => each.endpoint.name === name)?.handler;
  }

  /** @internal Saves the stubs. @returns a function that restores them */
  checkpoint(): () => void {
    const saved = this.#own;
    this.#own = new Map(saved);
    return () => {
      this.#own = saved;
      this.#changed();
    };
  }

  /** @throws {FakeMarketplaceError} when an operation with this name, or this method and path, exists */
  #set(operation: OwnOperation, replaced?: string): void {
    const { name, method, path } = operation.endpoint;
    if ((this.#own.has(name) && name !== replaced) || allEndpoints.some((each) => each.name === name))
      throw new FakeMarketplaceError(`there is already an operation "${name}"; choose another name`);
    const same = this.all.find((each) => each.name !== replaced && isSamePlace(each, { method, path }));
    if (same) throw new FakeMarketplaceError(`the operation "${same.name}" already responds to ${method} ${path}`);
    this.#own.delete(name);
    this.#own.set(name, operation);
    this.#changed();
  }

  #read(operation: Operation): OwnOperation {
    const { endpoint } = operation;
    // Its schema may be of another library: the fake reads an input by the Standard Schema alone.
    const described = { summary: endpoint.name, example: {}, ...endpoint } as DescribedEndpoint;
    return { endpoint: described, handler: handlerOf(operation, this.#marketplace), stays: true };
  }

  #changed(): void {
    const own = Array.from(this.#own.values(), ({ endpoint }) => endpoint);
    const others = this.#neighbours.map(({ endpoint }) => endpoint);
    const isReplaced = (each: DescribedEndpoint): boolean =>
      own.some((one) => one.name === each.name || isSamePlace(one, each));
    this.routes.set([...own, ...others.filter((each) => !isReplaced(each))]);
  }
}

function isSamePlace(one: Omit<OperationSummary, 'name'>, other: Omit<OperationSummary, 'name'>): boolean {
  return one.method === other.method && shapeOf(one.path) === shapeOf(other.path);
}

/** A path template without the names of its parameters. */
function shapeOf(path: string): string {
  return path.replace(/\{\w+(\*?)\}/g, '{$1}');
}
