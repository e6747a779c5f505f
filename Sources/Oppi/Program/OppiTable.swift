// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiClient
import OppiPrompts
import OppiTurns

/// The table of all commands, which is the only place that lists them.
package enum OppiTable {
  static let commands: [Command] = [
    Pair.command,
    Demo.command,
    Ask.command,
    Chat.command,
    New.command,
    Launch.command,
    History.command,
    Sessions.command,
    Search.command,
    Approvals.command(deciding: ApprovalsDecide.run),
    Approve.command,
    Deny.command,
    Answer.command,
    ConsoleCommand.command,
    Watch.command,
    Follow.command,
    Status.command,
    Show.command,
    Stop.command,
    Run.command,
    Shortcuts.command,
    Schedules.command,
    Pick.command,
    Outbox.command,
    Examples.command,
    Workspaces.command,
    Models.command,
    Servers.command,
    Config.command,
    Setup.command,
    Doctor.command,
    Completions.command,
    HelpCommand.command,
    Complete.command,
    DoctorThere.command,
  ]

  /// Words that are commands of other programs, and what to use instead.
  static let otherWords: [(words: [String], hint: String)] = [
    (["version"], "print the version with: oppi --version"),
    (
      ["list", "ls"],
      "list with: oppi sessions, oppi workspaces, oppi models or oppi servers"
    ),
    (["ps", "jobs"], "list the sessions with: oppi sessions"),
    (["login", "auth", "connect"], "pair with a server: oppi pair INVITE"),
    (["logout", "disconnect", "unpair"], "forget a server with: oppi servers forget NAME"),
    (["whoami"], "list the paired devices with: oppi servers devices"),
    (
      ["rename"],
      "rename a server with: oppi servers rename NAME NEW-NAME, or set the title of a new session "
        + "with: oppi ask --name TITLE PROMPT"
    ),
    (["send", "prompt", "exec"], "send a prompt with: oppi ask -w WORKSPACE PROMPT"),
    (
      ["reply"],
      "send a message with: oppi ask -s SESSION PROMPT, or answer a question with: oppi answer ID"
    ),
    (["message"], "send a message with: oppi ask -s SESSION PROMPT"),
    (["steer"], "send a message with: oppi ask -s SESSION PROMPT, or use: oppi chat -s SESSION"),
    (
      ["resume", "continue"],
      "continue a session with: oppi chat -s SESSION, or: oppi ask -s SESSION PROMPT"
    ),
    (["attach", "open"], "continue a session with: oppi chat -s SESSION"),
    (
      ["retry", "resend"],
      "resend a prompt with: oppi ask --again NUMBER, or a queued one with: oppi outbox retry KEY"
    ),
    (["logs"], "show a session with: oppi show SESSION, or: oppi follow SESSION"),
    (["tail"], "follow a session with: oppi follow SESSION"),
    (
      ["diff"],
      "list the changed lines with: oppi sessions, or show an edit with: oppi show --call NUMBER "
        + "SESSION"
    ),
    (["log"], "list earlier prompts with: oppi history"),
    (["cost", "costs", "usage", "budget"], "sum the costs with: oppi history --costs"),
    (["top", "dashboard", "ui"], "open the console with: oppi console"),
    (["kill"], "stop a turn with: oppi stop SESSION"),
    (
      ["cancel"],
      "stop a turn with: oppi stop SESSION, or drop a prompt with: oppi outbox drop KEY"
    ),
    (["export"], "export a conversation with: oppi show --all --markdown SESSION"),
    (
      ["delete", "remove", "rm", "prune"],
      "delete a session with: oppi sessions delete SESSION, or old ones with: "
        + "oppi sessions delete --older 30d -w WORKSPACE"
    ),
    (["queue"], "list queued prompts with: oppi outbox"),
    (["cron"], "run shortcuts on a schedule with: oppi schedule"),
    (["notify"], "show notifications with: oppi watch"),
    (["settings"], "show the settings with: oppi config"),
    (["install"], "install the program's files with: oppi setup"),
    (["uninstall"], "remove the program's files with: oppi setup --remove"),
    (["update", "upgrade"], "install the files of a new version with: oppi setup"),
  ]

  /// A hint for the name of a command of other programs.
  private static func advice(on word: String) -> String? {
    otherWords.first { $0.words.contains(word) }?.hint
  }

  package static let tool = CommandLineTool<Context, Report, GlobalOptions>(
    name: Context.defaultProgramName,
    version: OppiProgram.version,
    summary: "Send prompts to coding agents on your own servers",
    discussion: """
      oppi sends prompts to coding-agent workspaces on your paired Oppi servers, from a \
      terminal, cron, systemd, a hotkey or a script. Its exit status reports exactly what \
      happened to each prompt.

      Standard output is the result and nothing else; all other messages go to standard error. \
      Commands read standard input only for - on the command line, or for a shortcut that reads \
      it. Every network operation has a deadline.
      """,
    globals: GlobalOptions(),
    globalArguments: GlobalOptions.arguments,
    commands: commands,
    advice: advice(on:),
    groups: Group.all,
    topics: Topics.all,
    topicPages: Topics.pages,
    exitStatuses: ExitStatus.allCases.map { HelpRow(String($0.rawValue), $0.meaning) },
    files: Topics.files,
    environment: Topics.environment
  )

  /// The manual for the program under the given name.
  static func manual(
    for program: String = Context.defaultProgramName
  ) -> Manual<Context, Report, GlobalOptions> {
    Manual(of: tool, for: program, date: OppiProgram.releaseDate)
  }
}
