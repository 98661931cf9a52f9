/** The areas where Flex delivers, by site. The seller's address must be in one of them. */
export const flexCoverageAreas = {
  MLA: { country: 'Argentina', areas: ['Buenos Aires metropolitan area', 'Córdoba'] },
  MLB: {
    country: 'Brazil',
    areas: ['São Paulo', 'Rio de Janeiro', 'Brasília', 'Belo Horizonte', 'Porto Alegre', 'Salvador', 'Curitiba'],
  },
  MLM: { country: 'Mexico', areas: ['Mexico City valley metropolitan area', 'Mérida'] },
  MLC: { country: 'Chile', areas: ['Santiago metropolitan area', 'Valparaíso'] },
  MCO: { country: 'Colombia', areas: ['Bogotá', 'Medellín', 'Cali'] },
  MLU: { country: 'Uruguay', areas: ['Montevideo', 'Canelones'] },
  MPE: { country: 'Peru', areas: ['Lima metropolitan area'] },
  MEC: { country: 'Ecuador', areas: ['Quito'] },
} as const satisfies Record<string, { readonly country: string; readonly areas: readonly string[] }>;
