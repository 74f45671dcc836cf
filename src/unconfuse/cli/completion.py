"""`unconfuse completion`: tab completion for the shell."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands, options and metric names with the tab key.

    \b
    bash: unconfuse completion bash > ~/.local/share/bash-completion/completions/unconfuse
    zsh:  unconfuse completion zsh > "${fpath[1]}/_unconfuse"
    fish: unconfuse completion fish > ~/.config/fish/completions/unconfuse.fish
    """
    from click.shell_completion import ShellComplete, get_completion_class

    from unconfuse.cli import cli

    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}.")
    script = found(cli, {}, "unconfuse", "_UNCONFUSE_COMPLETE")
    click.echo(ShellComplete.source(script))  # not the override for bash, which starts bash to ask its version
