# Made by `ptc-host stubs` from the tool specs; edit those instead.
"""Tools of the host as plain functions.

Every tool returns a dict. Calls from several threads run side by side. The names of this module
that are not enabled in a run cannot be imported there; the ImportError lists what can.
"""
from os import PathLike
from typing import Any, Callable, Optional, TypeVar

_T = TypeVar("_T")

__all__ = [
    "web_search",
    "web_extract",
    "read_file",
    "write_file",
    "search_files",
    "patch",
    "terminal",
    "ToolError",
    "json_parse",
    "shell_quote",
    "retry",
    "tools",
    "search_tools",
    "describe",
]

class ToolError(Exception):
    """A tool of the embedder or of an MCP server answered with an error.

    tool is its name, result all that it answered.
    """

    tool: str
    result: dict

def json_parse(text: str | bytes | bytearray) -> Any:
    """Parse JSON; raw newlines and tabs inside strings and a leading BOM are allowed."""

def shell_quote(s: str | PathLike[str]) -> str:
    """Quote text as one word of a POSIX shell command."""

def retry(fn: Callable[[], _T], max_attempts: int = 3, delay: float = 2) -> _T:
    """Return fn(); after an exception wait delay, then 2 * delay, ... seconds and try again.

    The exception of the last attempt is raised; there is no wait after it.
    """

def tools() -> list[str]:
    """The names of the tools that are enabled in this run."""

def search_tools(query: str) -> list[str]:
    """The names of enabled tools whose name or description has the words of query, best first."""

def describe(name: str | Callable[..., Any]) -> str:
    """Signature and documentation of a tool, given by name or as the function."""

def web_search(query: str, limit: int = 5) -> dict:
    """Search the web.

    Args:
        query: What to search for.
        limit: Results to return, 1 to 100.

    Returns:
        A dict with success, data {web: [{title, url, description, position}]}. After a failure: error (str).
    """

def web_extract(urls: list, char_limit: Optional[int] = None) -> dict:
    """Fetch web pages and return their text as Markdown.

    Args:
        urls: List of http or https addresses; the first five are fetched.
        char_limit: Characters to return of each page, 2000 to 500000; None means 15000.

    Returns:
        A dict with results [{url, title, content, error}] in the order of urls. After a failure: error (str).
    """

def read_file(path: str, offset: int = 1, limit: int = 500, raw: bool = False, encoding: str = 'utf-8') -> dict:
    """Read a page of a text file, each line as 'NUMBER|text' (exact text with raw=True).

    Args:
        path: File to read: relative to the workspace, absolute, or with ~.
        offset: First line to return; lines count from 1.
        limit: Lines to return, 1 to 2000.
        raw: True: content is the exact text, without line numbers, fit to be written back; the whole file when offset and limit are left alone.
        encoding: 'utf-8' for text (UTF-16 is recognised); 'base64' for the bytes of any file, also a binary one.

    Returns:
        A dict with content, total_lines, file_size (bytes), truncated, next_offset when lines follow, hint; similar_files beside error when there is no such file. After a failure: error (str).
    """

def write_file(path: str, content: str, cross_profile: bool = False) -> dict:
    """Create or replace a file in one step, with missing parent directories.

    Args:
        path: File to create or replace: relative to the workspace, absolute, or with ~.
        content: The whole new text of the file.
        cross_profile: Accepted for compatibility; without effect here.

    Returns:
        A dict with bytes_written, dirs_created, verified, lint {status, output, message}, resolved_path, files_modified. After a failure: error (str).
    """

def search_files(pattern: str, target: str = 'content', path: str = '.', file_glob: Optional[str] = None, limit: int = 50, offset: int = 0, output_mode: str = 'content', context: int = 0, order: str = 'discovery', include_hidden: bool = False, include_ignored: bool = False, include_dirs: bool = False) -> dict:
    """Search file contents by regular expression, or file names by glob.

    Args:
        pattern: Regular expression for lines, or with target='files' a glob for file names.
        target: 'content' searches inside files, 'files' searches their names.
        path: Directory or file to search: relative to the workspace, absolute, or with ~.
        file_glob: target 'content': only files whose name matches, for example '*.py'.
        limit: Rows to return, at least 1.
        offset: Rows to skip first.
        output_mode: target 'content': 'content' returns lines, 'files_only' paths, 'count' matches per file.
        context: Lines to add before and after each match.
        order: 'modified' puts the most recently changed files first.
        include_hidden: Also files and directories whose name begins with a dot.
        include_ignored: Also what .gitignore excludes.
        include_dirs: target 'files': also directories.

    Returns:
        A dict with total_count, matches [{path, line, content, kind}] or files [path] or counts {path: n}, truncated, next_offset, skipped, warning. After a failure: error (str).
    """

def patch(path: Optional[str] = None, old_string: Optional[str] = None, new_string: Optional[str] = None, replace_all: bool = False, mode: str = 'replace', patch: Optional[str] = None, cross_profile: bool = False, fuzzy: str = 'safe') -> dict:
    """Edit files by find and replace, or apply a multi-file patch as a whole or not at all.

    Args:
        path: mode 'replace': file to edit: relative to the workspace, absolute, or with ~.
        old_string: mode 'replace': text to find; it must occur once unless replace_all is True.
        new_string: mode 'replace': text to put in its place; '' deletes.
        replace_all: mode 'replace': True replaces every occurrence.
        mode: 'replace' for one edit of one file, 'patch' for a multi-file patch text.
        patch: mode 'patch': V4A text from '*** Begin Patch' to '*** End Patch'.
        cross_profile: Accepted for compatibility; without effect here.
        fuzzy: How old text may differ from the file: 'exact' not at all, 'safe' in blanks, indentation, escapes and typographic characters, 'loose' also by similarity.

    Returns:
        A dict with success, diff (unified), files_modified, files_created, files_deleted, strategy, matched_lines, lint. After a failure: error (str).
    """

def terminal(command: str, timeout: Optional[int] = None, workdir: Optional[str] = None, merge_stderr: bool = True) -> dict:
    """Run a shell command and wait for it; directory and exported variables last until the script ends.

    Args:
        command: Command line for bash.
        timeout: Seconds until the command is stopped, at most 600; None means 180.
        workdir: Directory to run in; None means where the last command ended, at first the workspace.
        merge_stderr: False: stderr comes apart, as the result's stderr key.

    Returns:
        A dict with output (stdout and stderr; long ones keep head and tail), exit_code, error (None when it ran), exit_code_meaning, timed_out, duration_seconds. After a failure: error (str).
    """

class aio:
    """The same tools as coroutines: `from hermes_tools import aio`, then
    `await asyncio.gather(...)`. At run time this is the submodule hermes_tools.aio.
    """

    @staticmethod
    async def web_search(query: str, limit: int = 5) -> dict: ...

    @staticmethod
    async def web_extract(urls: list, char_limit: Optional[int] = None) -> dict: ...

    @staticmethod
    async def read_file(path: str, offset: int = 1, limit: int = 500, raw: bool = False, encoding: str = 'utf-8') -> dict: ...

    @staticmethod
    async def write_file(path: str, content: str, cross_profile: bool = False) -> dict: ...

    @staticmethod
    async def search_files(pattern: str, target: str = 'content', path: str = '.', file_glob: Optional[str] = None, limit: int = 50, offset: int = 0, output_mode: str = 'content', context: int = 0, order: str = 'discovery', include_hidden: bool = False, include_ignored: bool = False, include_dirs: bool = False) -> dict: ...

    @staticmethod
    async def patch(path: Optional[str] = None, old_string: Optional[str] = None, new_string: Optional[str] = None, replace_all: bool = False, mode: str = 'replace', patch: Optional[str] = None, cross_profile: bool = False, fuzzy: str = 'safe') -> dict: ...

    @staticmethod
    async def terminal(command: str, timeout: Optional[int] = None, workdir: Optional[str] = None, merge_stderr: bool = True) -> dict: ...
