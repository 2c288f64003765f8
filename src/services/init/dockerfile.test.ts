import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDockerfile } from './dockerfile.ts';

/** `@` stands for the sign of a reference. */
const ROWS: readonly (readonly [name: string, text: string, ports: string, image?: string])[] = [
  ['one', 'FROM node\nEXPOSE 8080', '8080'],
  ['several in one line, of both protocols', 'FROM node\nexpose 80 443/TCP 53/udp', '80 443'],
  ['a range', 'FROM node\nEXPOSE 7000-7010/tcp 9000-9010/udp', '7000-7010'],
  ['what is no port', 'FROM node\nEXPOSE http 0 70000 9-8 8080/sctp', ''],
  ['a comment within, and an instruction that goes on', 'FROM node\nEXPOSE 80 \\\n# more\n\n  81', '80 81'],
  ['another sign of going on', '# escape=`\nFROM node\nEXPOSE 80 `\n 81', '80 81'],
  ['of the last stage', 'FROM go AS build\nEXPOSE 1\nFROM scratch\nCOPY --from=build /a /a\nEXPOSE 2', '2'],
  ['of the stages that the last is built upon', 'FROM node AS base\nEXPOSE 1\nFROM base\nEXPOSE 2', '1 2'],
  [
    'of the target with the name of the image',
    'FROM node AS api\nEXPOSE 1\nFROM node AS web\nEXPOSE 2',
    '1',
    'api',
  ],
  [
    'not of a stage that is only copied from',
    'FROM go AS api\nEXPOSE 1\nFROM scratch\nCOPY --chown=1 --from=api /a /a\nEXPOSE 2',
    '2',
    'api',
  ],
  ['a platform before its base', 'FROM --platform=linux/amd64 node AS base\nEXPOSE 1\nFROM base', '1'],
  ['an argument', 'FROM node\nARG PORT=8080\nEXPOSE @PORT', '8080'],
  [
    'an argument from before the first stage, which it declares',
    'ARG P=1\nFROM node\nARG P\nEXPOSE @{P}',
    '1',
  ],
  ['an argument that the stage does not declare', 'ARG P=1\nFROM node\nEXPOSE @{P}', ''],
  ['an argument of a stage below', 'FROM node AS a\nARG P=1\nFROM a\nEXPOSE @P', ''],
  ['a variable, which wins', 'FROM node\nARG P=1\nENV P=2 Q="3"\nENV R 4\nEXPOSE @P @Q @R', '2 3 4'],
  ['a variable of a stage below', 'FROM node AS a\nENV P=2\nFROM a\nEXPOSE @P', '2'],
  ['a variable made of another', 'FROM node\nARG B=80\nENV P=@{B}80\nEXPOSE @P/tcp', '8080'],
  ['what stands for what is not set', 'FROM node\nENV E=\nEXPOSE @{P:-1} @{E:-2} @{E:+3} @{P-4}', '1 2 4'],
  ['what stands for what is set', 'FROM node\nENV P=1\nEXPOSE @{P:+2}', '2'],
  ['no reference in plain quotes', "FROM node\nENV P=1 Q='@P'\nEXPOSE @Q", ''],
  ['nothing', '', ''],
];

for (const [name, text, ports, image] of ROWS)
  test(`ports of a Dockerfile: ${name}`, () => {
    const found = readDockerfile(text.replaceAll('@', '$'), image).ports;
    assert.equal(found.map(({ from, to }) => (from === to ? from : `${from}-${to}`)).join(' '), ports);
  });
