import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { maskExchange } from '../../src/testing/tape/exchange.js';
import { Masker } from '../../src/testing/tape/mask.js';
import { taping } from '../support/taping.ts';
import type { Taping } from '../support/taping.ts';

/** What a tape may not show: documents, addresses, numbers and names of people in Spanish and Portuguese, and secrets. */
const personal: Readonly<Record<string, string>> = {
  'DNI of Argentina': '30.123.456',
  'DNI without dots': '30123456',
  CUIT: '20-30123456-9',
  'CUIL without dashes': '27301234565',
  'passport of Argentina': 'AAC123456',
  CPF: '529.982.247-25',
  'CPF without dots': '52998224725',
  CNPJ: '11.222.333/0001-81',
  'CNPJ without signs': '11222333000181',
  RG: '12.345.678-9',
  CNH: '02650306461',
  PIS: '120.12345.67-8',
  'voter title': '1023 4567 8901',
  'RFC of a person': 'GODE561231GR8',
  'RFC of a company': 'ABC010101AB1',
  CURP: 'HEGG560427MVZRRL04',
  CLABE: '032180000118359719',
  'RUT of Chile': '12.345.678-5',
  'RUN without dots': '12345678-K',
  'cédula of Colombia': '1.020.345.678',
  NIT: '900.123.456-7',
  'cédula of Uruguay': '1.234.567-2',
  'DNI of Peru': '45678912',
  RUC: '20123456786',
  'cédula of Ecuador': '1710034065',
  'NIF of Spain': '12345678Z',
  NIE: 'X1234567L',
  'NIF of Portugal': '123 456 789',
  'street in Spanish': 'Av. Corrientes 1234, piso 5 B',
  'street in Portuguese': 'Rua das Laranjeiras, 45, apto 302',
  crossing: 'esquina Güemes y Lavalle',
  'postal code of Argentina': 'C1043AAZ',
  CEP: '01310-100',
  'CEP without dash': '22240003',
  'postal code of Mexico': '06700',
  district: 'Colonia Roma Norte',
  town: 'Villa Crespo',
  complement: 'Bloco C, casa dos fundos',
  'full name in Spanish': 'María José Núñez Peña',
  'full name in Portuguese': 'João da Conceição Araújo',
  'name in capitals': 'GONZALEZ MARTA',
  'first name': 'Joaquín',
  nickname: 'MARTITA_1985',
  signature: 'Saludos, Graciela Z.',
  'mobile of Argentina': '+54 9 11 5555-4444',
  'mobile without signs': '1155554444',
  landline: '(011) 4382-5555',
  'mobile of Brazil': '(11) 98765-4321',
  'mobile of Mexico': '55 1234 5678',
  'mobile with dots': '11.5555.4444',
  'phone in words': 'once cincuenta y cinco',
  'WhatsApp link': 'https://wa.me/5491155554444',
  'e-mail': 'marta.gonzalez@example.com',
  'e-mail of Brazil': 'joao+loja@example.com.br',
  'e-mail in words': 'marta arroba ejemplo punto com',
  'e-mail with accents': 'josé@exámple.com',
  card: '4509 9535 6623 3704',
  'card without spaces': '5031755734530604',
  'card with dashes': '3711-803032-57522',
  'expiry of a card': '11/27',
  CVV: 'cvv 987',
  CBU: '2850590940090418135201',
  'CBU alias': 'perro.luna.taza',
  IBAN: 'ES9121000418450200051332',
  'bank account of Brazil': 'Ag 1234 C/C 56789-0',
  'PIX key': '7d9f0335-8dcc-4054-9bf9-0dbd61d36906',
  'amount of a debt': 'debo $ 12.345,67',
  'plate of Argentina': 'AB123CD',
  'old plate': 'ABC 123',
  'plate of Brazil': 'BRA2E19',
  handle: '@martita.gz',
  'handle without sign': 'martita_gz85',
  profile: 'https://instagram.com/martita.gz',
  'link with an id': 'https://example.com/u/martita?id=77',
  'short link': 'bit.ly/3xYzAbC',
  'date of birth': '31/12/1956',
  'date of birth in ISO': '1956-12-31',
  'date of birth in words': '31 de dezembro de 1956',
  age: 'tengo 67 años',
  position: '-34.6037, -58.3816',
  'position in a link': 'https://maps.example/@-34.6037,-58.3816,17z',
  'IP address': '190.19.128.77',
  'IPv6 address': '2800:810:4a4::1',
  'MAC address': '00:1B:44:11:3A:B7',
  device: 'SM-G991B imei 356938035643809',
  illness: 'es para mi hija diabética',
  religion: 'somos testigos de Jehová',
  union: 'afiliado al sindicato UOM',
  'password in a text': 'mi clave es Perro1985!',
  'access token': 'APP_USR-500-030412-abcdef0123456789-1001',
  'refresh token': 'TG-65f0c0ffee0000000000abcd-1001',
  'test token': 'TEST-6413-112233-aa55-LA_LB-77',
  'client secret': 'qZ8vN2tLw0Rk5yXb7Hc3Jd9Fm1Gp4Sa6',
  bearer: 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP',
  cookie: 'sid=9f8e7d6c5b4a; _d2id=aa11bb22',
  'private key': '-----BEGIN PRIVATE KEY----- MIIEvQIBADANBg',
  'API key': 'AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY',
  'basic credentials': 'Basic bWFydGE6c2VjcmV0bw==',
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  'text in Cyrillic': 'Мария Гонсалес',
  'text in Chinese': '王小明',
  receipt: 'factura A 0001-00001234',
  'tracking number': 'RR123456785AR',
  'postal code with a zero': '03810',
  'first name in three capitals': 'EVA',
  'BIC of a bank': 'BSCHESMMXXX',
  'plate with the letters of a site': 'MAB-12',
  'another plate with them': 'MAB123',
  latitude: '-34.58123',
  'handle after words of the service': 't.me/luciaf',
  'name in a code': 'user_garcia_not_found',
  'name in words of the service': 'message.from.gutierrez',
};

const headers = { 'content-type': 'application/json' };

/** A service that echoes what it gets in every field of a response, and in every field of an error. */
function echoing(): Taping {
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const request = new Request(url, init);
    const text = request.headers.get('x-text') === null ? '' : decodeURIComponent(request.headers.get('x-text') ?? '');
    await request.arrayBuffer();
    if (request.headers.get('x-status') !== '200')
      return Response.json(
        {
          message: text,
          error: text,
          error_description: `${text} is wrong`,
          status: 400,
          cause: [text, { code: text, message: `it says ${text}`, [text]: text }],
        },
        { status: 400, headers: asHeaders(text, 'x-note', 'set-cookie', 'retry-after', 'allow', 'location') },
      );
    const question = {
      id: 1,
      item_id: text,
      text,
      status: text,
      date_created: text,
      hold: text,
      from: { id: text, nickname: text },
      answer: { text, status: text, date_created: text, note: text },
      tags: [text],
      [text]: text,
      data: { code: text, name: text },
    };
    return Response.json({
      total: text,
      questions: [question],
      note: text,
      filters: { [text]: text },
      available_filters: [{ id: text, name: text }],
    });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return taping('http://service.test');
}

const asHeaders = (text: string, ...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, encodeURIComponent(text)]));

const asHeader = (text: string): string => encodeURIComponent(text);

/** What a tape shows of a text in any writing: as it is, in JSON, and in a URL. */
function written(text: string): string[] {
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    encodeURIComponent(text).replaceAll('%20', '+'),
  ];
}

describe('a tape has nothing of a person and no secret', () => {
  test.each(Object.entries(personal))(
    '%s: in a body, in a query, in a header and in the text of an error',
    async (_, text) => {
      const { fetch, text: tape, unwritten } = echoing();
      const own = { ...headers, 'x-text': asHeader(text), 'x-note': asHeader(text), 'x-client-id': asHeader(text) };
      const calls: [string, RequestInit][] = [
        [
          '/questions',
          {
            method: 'POST',
            body: JSON.stringify({ item_id: text, text, note: text, [text]: { deep: [text, { [text]: text }] } }),
          },
        ],
        [
          '/messages/packs/1/sellers/2?tag=post_sale',
          {
            method: 'POST',
            body: JSON.stringify({
              from: { user_id: text },
              to: { user_id: text, email: text, resource: text, site_id: text },
              text: { plain: text },
              attachments: [text],
            }),
          },
        ],
        [
          '/shipping/flex/sites/MLA/configuration/v3',
          {
            method: 'POST',
            body: JSON.stringify({
              query: `{configuration(user_id:1){id ${text}}} # ${text}`,
              variables: { user_id: text },
            }),
          },
        ],
        ['/anywhere', { method: 'PUT', body: JSON.stringify([text, { a: text }]) }],
        [
          '/oauth/token',
          {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams({
              grant_type: text,
              client_id: text,
              client_secret: text,
              code: text,
              refresh_token: text,
              redirect_uri: text,
              [text]: text,
            }).toString(),
          },
        ],
        ['/anywhere', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: text }],
        [
          `/questions/search?seller_id=${asHeader(text)}&q=${asHeader(text)}&status=${asHeader(text)}&${asHeader(text)}=1&limit=${asHeader(text)}&date_from=${asHeader(text)}&attributes=${asHeader(text)}`,
          {},
        ],
        [`/questions/${asHeader(text)}`, {}],
        [`/sites/${asHeader(text)}/search?q=${asHeader(text)}`, {}],
        [`/anywhere/${asHeader(text)}/else?access_token=${asHeader(text)}`, {}],
        [
          '/questions/search?seller_id=1',
          { headers: { authorization: `Bearer ${asHeader(text)}`, cookie: asHeader(text) } },
        ],
      ];
      for (const status of ['200', '400'])
        for (const [path, init] of calls) {
          const sent = new Headers({ ...own, 'x-status': status });
          for (const [name, value] of new Headers(init.headers)) sent.set(name, value);
          await (await fetch(`http://localhost${path}`, { ...init, headers: sent })).text();
        }
      const form = new FormData();
      form.set('file', new File([text], `${text}.pdf`));
      form.set(text, text);
      await (
        await fetch('http://localhost/messages/attachments?tag=post_sale', {
          method: 'POST',
          body: form,
          headers: { 'x-text': asHeader(text) },
        })
      ).text();
      expect(unwritten).toEqual([]);
      expect(tape().trim().split('\n')).toHaveLength(2 * calls.length + 2);
      // The checksums depend on the time, and may have any digits.
      const masked = tape().replace(/"sum":\d+\}$/gm, '');
      for (const found of written(text)) expect(masked).not.toContain(found);
    },
  );

  test('of a code, the words stay that are of the service', async () => {
    vi.stubGlobal('fetch', () =>
      Promise.resolve(
        Response.json(
          { error: 'user_garcia_not_found', message: 'blocked_by_payment', cause: ['OTHER'] },
          { status: 404 },
        ),
      ),
    );
    onTestFinished(() => void vi.unstubAllGlobals());
    const { fetch, tape } = taping('http://service.test');
    await fetch('http://localhost/questions/1');
    expect(tape()[0]!.response.value).toEqual({
      error: 'user_xxxxxx_not_found',
      message: 'blocked_by_payment',
      cause: ['OTHER'],
    });
  });

  test('a number stays a number', () => {
    const place = { kinds: ['id'] } as const;
    for (const value of [-5, 0.5, 1e21]) expect(new Masker().leaf(value, place)).toSatisfy(Number.isFinite);
  });

  test('a number that could be of a person is masked in every field, also in those of ids and counts', () => {
    const numbers = Object.values(personal)
      .map((text) => text.replace(/\D/g, ''))
      .filter((digits) => /^[1-9]\d{6,14}$/.test(digits));
    expect(numbers.length).toBeGreaterThan(30);
    for (const digits of numbers) {
      const exchange = {
        method: 'GET',
        path: `/questions/search?seller_id=${digits}&limit=${digits}`,
        headers: new Headers(),
        request: { kind: 'none', value: null },
        status: 200,
        responseHeaders: new Headers({ 'retry-after': digits }),
        response: {
          kind: 'json',
          value: {
            total: Number(digits),
            dni: Number(digits),
            paging: { limit: Number(digits), offset: digits },
            questions: [
              {
                id: Number(digits),
                answer: Number(digits),
                status: Number(digits),
                from: { answered_questions: digits },
              },
            ],
          },
        },
      };
      expect(JSON.stringify(maskExchange(exchange, new Masker(), new Map()))).not.toContain(digits);
    }
  });
});

test('of three ids whose masks differ only in their number, each keeps its own, in any order and the second time', () => {
  const withoutNumber = (masked: unknown): string => String(masked).slice(0, -4);
  const byMask = new Map<string, number[]>();
  // Of some thousand ids, three have the same mark.
  for (let id = 5_000_000_001; [...byMask.values()].every(({ length }) => length < 3); id += 1) {
    const mask = withoutNumber(new Masker().id(String(id)));
    byMask.set(mask, [...(byMask.get(mask) ?? []), id]);
  }
  const ids = [...byMask.values()].find(({ length }) => length === 3)!.map(String);
  const masker = new Masker();
  const masks = [0, 0, 1, 0, 2].map((index) => masker.id(ids[index]!)!).filter((_, at) => at % 2 === 0);
  expect(masks.map((mask) => mask.slice(-4))).toEqual(['0001', '0002', '0003']);
  expect(new Set(masks.map(withoutNumber)).size).toBe(1);
  for (const index of [0, 2, 1, 0, 1, 2]) {
    expect(masker.id(ids[index]!)).toBe(masks[index]);
    expect(masks.map((mask) => masker.originalOf(mask))).toEqual(ids);
  }
});
