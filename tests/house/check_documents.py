"""Checks that the documents say what is so.

    check_documents.py ROOT PLIANT     prints what is wrong, a line each, and fails if anything is

The scene reference is what the program prints; every complete scene in a document runs; every link leads somewhere;
every paper that the code cites stands in docs/references.md.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SCENE = re.compile(r'^```toml\n(.*?)^```', re.M | re.S)
LINK = re.compile(r'\]\((?!\w+:|#)([^)#\s]+)')
CITATION = re.compile(r'\[([A-Z][a-z]+[0-9]{2})\]')


def check_reference(root, pliant):
    file = root / 'docs' / 'scene-reference.md'
    printed = subprocess.run([pliant, 'schema'], capture_output=True, text=True, check=True).stdout
    if not file.exists() or file.read_text() != printed:
        return ['docs/scene-reference.md: is stale; write it anew by: build/pliant schema > docs/scene-reference.md']
    return []


def check_scenes(document, pliant):
    """What the program says about the scenes in a document that have a body and so are complete."""
    problems = []
    for scene in SCENE.findall(document.read_text()):
        if '[[body]]' not in scene:
            continue
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / 'scene.toml'
            file.write_text(scene)
            answer = subprocess.run([pliant, 'check', str(file)], capture_output=True, text=True)
        if answer.returncode != 0:
            problems.append(f'{document.name}: a scene does not run: {answer.stderr.strip()}')
    return problems


def check_links(document):
    return [f'{document.name}: links to {target}, which does not exist' for target in LINK.findall(document.read_text())
            if not (document.parent / target).exists()]


def check_citations(root):
    known = set(CITATION.findall((root / 'docs' / 'references.md').read_text()))
    problems = []
    for folder in ('src', 'apps', 'tests', 'benchmarks'):
        for path in sorted((root / folder).rglob('*')):
            if path.suffix in ('.h', '.cpp'):
                for key in sorted(set(CITATION.findall(path.read_text())) - known):
                    problems.append(f'{path.relative_to(root)}: cites [{key}], which is missing from docs/references.md')
    return problems


def main(root, pliant):
    root = pathlib.Path(root)
    problems = check_reference(root, pliant) + check_citations(root)
    for document in sorted([*root.glob('*.md'), *(root / 'docs').glob('*.md')]):
        problems += check_scenes(document, pliant) + check_links(document)
    print('\n'.join(problems) if problems else 'the documents agree with the program')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
