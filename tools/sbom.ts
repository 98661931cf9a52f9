import type { BundledPackage } from './package-paths.ts';

/** A package that this one needs: its code is in the built files, or npm installs it beside them, or both. */
export interface Component extends BundledPackage {
  /** As its `package.json` says: an identifier or an expression of SPDX. */
  readonly licence: string;
  /** The folders of the built files that contain it; none if npm alone installs it. */
  readonly folders: readonly string[];
}

/** Describes as CycloneDX 1.6 what a package contains or installs that others wrote. The same build gives the same text. */
export function sbomOf(
  { name, version, licence }: BundledPackage & { readonly licence: string },
  needed: readonly Component[],
): object {
  const self = { name, version, licence };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf(self) },
    components: needed.map((each) => ({
      ...componentOf(each),
      scope: 'required',
      properties: each.folders.map((value) => ({ name: `${name}:bundled-in`, value })),
    })),
    dependencies: [
      { ref: purlOf(self), dependsOn: needed.map(purlOf) },
      ...needed.map((each) => ({ ref: purlOf(each) })),
    ],
  };
}

function componentOf(each: BundledPackage & { readonly licence: string }): object {
  const purl = purlOf(each);
  const { name, version, licence } = each;
  const licenses = [licence.includes(' ') ? { expression: licence } : { license: { id: licence } }];
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses };
}

function purlOf({ name, version }: BundledPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
