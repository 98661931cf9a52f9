import type { DeliveryHours, TemplateId, TemplateOption, TemplateVariableId } from './schemas.js';

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
