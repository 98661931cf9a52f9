export { html, render } from 'htm/preact';
export type { ComponentChildren, VNode } from 'preact';
export { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
