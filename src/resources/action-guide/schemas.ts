import { isPlainObject } from '../../core/json/json.js';
import * as s from '../../core/schema/define.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { bareList, boundedText, id, nullishArray } from '../fields.js';
import { messageTextLimit } from '../post-sale/message.js';

const knownOptions = [
  'REQUEST_VARIANTS',
  'REQUEST_BILLING_INFO',
  'SEND_INVOICE_LINK',
  'OTHER',
  'DELIVERY_PROMISE',
] as const;
/** The reasons for which a seller can send the first message. */
export type OptionId = (typeof knownOptions)[number];

/** The options whose text is a template. */
export type TemplateOption = 'REQUEST_VARIANTS' | 'REQUEST_BILLING_INFO' | 'DELIVERY_PROMISE';

/** The id of an option's template, e.g. `TEMPLATE___REQUEST_VARIANTS___1`. */
export type TemplateId<Option extends TemplateOption = TemplateOption> = `TEMPLATE___${Option}___${number}`;

/** The id of a variable of the delivery promise, e.g. `TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT`. */
export type TemplateVariableId<Name extends 'INIT' | 'LIMIT' = 'INIT' | 'LIMIT'> =
  `${TemplateId<'DELIVERY_PROMISE'>}___VAR___${Name}`;

/** The hours of a delivery promise, in the form that `actionGuide.send` needs. */
export type DeliveryHours = readonly [
  { readonly id: TemplateVariableId<'INIT'> | (string & {}); readonly value: number },
  { readonly id: TemplateVariableId<'LIMIT'> | (string & {}); readonly value: number },
];

const optionTemplate = s.looseObject({
  /** For example `TEMPLATE___REQUEST_VARIANTS___1`. */
  id: s.string,
  /** The content of the variables is not documented. */
  vars: s.nullish(s.array(s.unknown)),
});
/** A predefined text: its id and its variables. */
export interface OptionTemplate extends Output<typeof actionGuideSchemas.optionTemplate> {}

export const actionGuideOption = s.looseObject({
  id: s.openEnum(...knownOptions),
  internal_description: s.nullish(s.string),
  enabled: s.nullish(s.boolean),
  type: s.nullish(s.openEnum('template', 'free_text')),
  /** The predefined texts of a template option. */
  templates: nullishArray(s.named<OptionTemplate>(optionTemplate)),
  actionable: s.nullish(s.boolean),
  /** The maximum length of a free text, in characters: 350. */
  char_limit: s.nullish(s.integer),
  /** Not documented. */
  child_options: s.nullish(s.array(s.unknown)),
  /** How many messages can still be sent with this option; 0 if none. */
  cap_available: s.nullish(s.integer),
});
/** An option with which a seller can send the first message to a buyer. */
export interface ActionGuideOption extends Output<typeof actionGuideSchemas.actionGuideOption> {}

export const actionGuideResponse = s.preprocess(
  s.looseObject({
    /** Empty if the service sends none. */
    options: s.withFacts(s.array(s.named<ActionGuideOption>(actionGuideOption)), { list: 'main' }),
  }),
  (value) => {
    if (Array.isArray(value)) return { options: value };
    const body = value ?? {};
    if (!isPlainObject(body)) return body;
    const { options } = body as { options?: unknown };
    return options === null || options === undefined ? { ...body, options: [] } : body;
  },
);
/** The options of a pack. */
export interface ActionGuideResponse extends Output<typeof actionGuideSchemas.actionGuideResponse> {}

export const optionCap = s.looseObject({
  option_id: s.openEnum(...knownOptions),
  /** 0 if no message can be sent until the buyer replies; `null` if the service does not say. */
  cap_available: s.nullish(s.integer),
});
/** How many messages can still be sent with an option. */
export interface OptionCap extends Output<typeof actionGuideSchemas.optionCap> {}

/** How many messages can still be sent with each option, as a list. */
export const optionCaps = s.preprocess<OptionCap[]>(
  s.array(optionCap),
  bareList('option_id', 'caps_available', 'caps', 'options'),
);

export const packParams = s.strictObject({
  /** The order's `pack_id`, or the order's id if `pack_id` is `null`. */
  pack_id: id,
});
/** The input of `actionGuide.options` and `actionGuide.caps`. */
export type PackParams = Input<typeof actionGuideSchemas.packParams>;

/** What the compiler says. With `never` an editor would complete only the ids of options without such fields. */
type NotTaken = `this option does not take the field${string}`;
type Without<Names extends string> = { readonly [Name in Names]?: NotTaken };

/** Asks which variant (size, colour) the buyer wants. Only for cross docking and drop off shipments. */
export interface VariantsRequest extends Input<typeof actionGuideSchemas.packParams>, Without<'text' | 'vars'> {
  readonly option_id: 'REQUEST_VARIANTS';
  /** See `templateId('REQUEST_VARIANTS', 1)`. */
  readonly template_id: TemplateId<'REQUEST_VARIANTS'> | (string & {});
}
/** Asks for the data that an invoice needs. */
export interface BillingInfoRequest extends Input<typeof actionGuideSchemas.packParams>, Without<'text' | 'vars'> {
  readonly option_id: 'REQUEST_BILLING_INFO';
  /** See `templateId('REQUEST_BILLING_INFO', 1)`. */
  readonly template_id: TemplateId<'REQUEST_BILLING_INFO'> | (string & {});
}
/** Sends the link of the invoice, in a text that the seller writes. */
export interface InvoiceLink extends Input<typeof actionGuideSchemas.packParams>, Without<'template_id' | 'vars'> {
  readonly option_id: 'SEND_INVOICE_LINK';
  /** 1 to 350 characters. */
  readonly text: string;
}
/** Sends a text that the seller writes, for any other reason. */
export interface OtherReason extends Input<typeof actionGuideSchemas.packParams>, Without<'template_id' | 'vars'> {
  readonly option_id: 'OTHER';
  /** 1 to 350 characters. */
  readonly text: string;
}
/** Tells the buyer between which hours the parcel comes. Only for the Flex shipping mode. */
export interface DeliveryPromise extends Input<typeof actionGuideSchemas.packParams>, Without<'text'> {
  readonly option_id: 'DELIVERY_PROMISE';
  /** `deliveryPromise({ from: 9, to: 13 })` returns `option_id`, `template_id` and `vars`. */
  readonly template_id: TemplateId<'DELIVERY_PROMISE'> | (string & {});
  /** The hours of `INIT` and of `LIMIT`, 0 to 24. */
  readonly vars: DeliveryHours;
}

/**
 * An option whose id is a `string`, for example one from `options()`: also one that the service added after this release.
 * Its fields are checked when it is sent. A literal `option_id` must be an `OptionId`.
 */
export interface LaterOption<Id extends string = string> extends Input<typeof actionGuideSchemas.packParams> {
  readonly option_id: string extends Id ? Id : never;
  readonly template_id?: string | undefined;
  readonly text?: string | undefined;
  readonly vars?: readonly { readonly id: string; readonly value: number }[] | undefined;
}

/** A message that is sent through an option of the action guide. */
export type SendOptionParams = VariantsRequest | BillingInfoRequest | InvoiceLink | OtherReason | DeliveryPromise;

const variable = s.strictObject({
  /** The variable's id, e.g. `TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT`. */
  id: s.string,
  /** The hour, 0 to 24. */
  value: s.int,
});

type OptionFields = Output<typeof optionFields>;
type OptionIssue = string | { path: readonly PropertyKey[]; message: string } | undefined;

const optionFields = s.strictObject({
  /** The order's `pack_id`, or the order's id if `pack_id` is `null`. */
  pack_id: id,
  /** The reason for the message. */
  option_id: s.refine(s.openEnum(...knownOptions), (id) => (id === '' ? '`option_id` is empty' : undefined)),
  /** The predefined text. For REQUEST_VARIANTS, REQUEST_BILLING_INFO and DELIVERY_PROMISE. */
  template_id: s.optional(s.string),
  /** At most 350 characters. For OTHER and SEND_INVOICE_LINK. */
  text: s.optional(boundedText('text', messageTextLimit, 'an option')),
  /** The hours of INIT and LIMIT. For DELIVERY_PROMISE. */
  vars: s.optional(s.array(variable)),
});

const takes: Readonly<Record<OptionId, readonly ('template_id' | 'text' | 'vars')[]>> = {
  REQUEST_VARIANTS: ['template_id'],
  REQUEST_BILLING_INFO: ['template_id'],
  SEND_INVOICE_LINK: ['text'],
  OTHER: ['text'],
  DELIVERY_PROMISE: ['template_id', 'vars'],
};

export const sendOptionParams = s.refine(optionFields, (given) => fieldsVerdict(given) ?? templateVerdict(given), {
  description: Object.entries(takes)
    .map(([option, fields]) => `${option} takes ${fields.map((name) => `\`${name}\``).join(' and ')}.`)
    .join(' '),
}) as unknown as Schema<SendOptionParams>;

function isKnown(id: string): id is OptionId {
  return Object.hasOwn(takes, id);
}

function fieldsVerdict(given: OptionFields): OptionIssue {
  if (!isKnown(given.option_id)) return undefined;
  const wanted = takes[given.option_id];
  for (const name of ['template_id', 'text', 'vars'] as const) {
    const has = given[name] !== undefined;
    if (has === wanted.includes(name)) continue;
    const message = `${given.option_id} takes ${wanted.map((each) => `\`${each}\``).join(' and ')}`;
    return { path: [name], message: has ? `${message}, not \`${name}\`` : `\`${name}\` is missing; ${message}` };
  }
  return undefined;
}

function templateVerdict({ option_id, template_id, vars }: OptionFields): OptionIssue {
  if (template_id === undefined || !isKnown(option_id)) return undefined;
  const owner = /^TEMPLATE___(.+)___\d+$/.exec(template_id)?.[1];
  if (template_id === '' || (owner !== undefined && owner !== option_id))
    return {
      path: ['template_id'],
      message: `\`template_id\` of ${option_id} takes the form "TEMPLATE___${option_id}___1"`,
    };
  return vars && hoursVerdict(template_id, vars);
}

function hoursVerdict(template: string, vars: readonly Output<typeof variable>[]): OptionIssue {
  const valueOf = (name: string): number | undefined =>
    vars.find((each) => each.id === `${template}___VAR___${name}`)?.value;
  const hours = [valueOf('INIT'), valueOf('LIMIT')];
  const wrong = (message: string): OptionIssue => ({ path: ['vars'], message });
  if (vars.length !== 2 || hours.includes(undefined))
    return wrong('`vars` takes the INIT and the LIMIT variable of its template, once each');
  return hours.some((hour = 0) => hour < 0 || hour > 24) ? wrong('`vars` takes hours from 0 to 24') : undefined;
}

/**
 * Returns the id of an option's template.
 *
 * @example
 * templateId('REQUEST_VARIANTS', 1); // 'TEMPLATE___REQUEST_VARIANTS___1'
 */
export function templateId<const Option extends TemplateOption>(option: Option, number: number): TemplateId<Option> {
  return `TEMPLATE___${option}___${number}`;
}

/**
 * Returns the id of a variable in the template of a delivery promise. `INIT` is the first hour, `LIMIT` the last.
 *
 * @example
 * templateVariableId(templateId('DELIVERY_PROMISE', 1), 'INIT'); // 'TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT'
 */
export function templateVariableId<const Name extends 'INIT' | 'LIMIT'>(
  template: TemplateId<'DELIVERY_PROMISE'>,
  name: Name,
): TemplateVariableId<Name> {
  return `${template}___VAR___${name}`;
}

/**
 * Returns the fields of a delivery promise: its template, and the hours between which the parcel comes.
 *
 * @example
 * await seller.actionGuide.send({ pack_id, ...deliveryPromise({ template: 1, from: 9, to: 13 }) });
 */
export function deliveryPromise({
  template = 1,
  from,
  to,
}: {
  readonly template?: number | undefined;
  readonly from: number;
  readonly to: number;
}): {
  readonly option_id: 'DELIVERY_PROMISE';
  readonly template_id: TemplateId<'DELIVERY_PROMISE'>;
  readonly vars: DeliveryHours;
} {
  const id = templateId('DELIVERY_PROMISE', template);
  return {
    option_id: 'DELIVERY_PROMISE',
    template_id: id,
    vars: [
      { id: templateVariableId(id, 'INIT'), value: from },
      { id: templateVariableId(id, 'LIMIT'), value: to },
    ],
  };
}

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const actionGuideSchemas = { optionTemplate, actionGuideOption, actionGuideResponse, optionCap, packParams };
