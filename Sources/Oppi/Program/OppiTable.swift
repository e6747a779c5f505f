// SPDX-License-Identifier: MIT

package import CommandTable
import OppiSystem

/// The headings of the command list, in order.
enum Group {
  static let start = "Getting started"
  static let asking = "Sending prompts"
  static let watching = "Sessions and approvals"
  static let triggers = "Triggers"
  static let setup = "Servers, setup and help"

  static let all = [start, asking, watching, triggers, setup]
}

package typealias Command = CommandSpec<Context, Report>

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
    Approvals.command,
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

  /// A hint for the name of a command of other programs.
  private static func advice(on word: String) -> String? {
    switch word {
    case "version": "print the version with: oppi --version"
    case "list", "ls": "list with: oppi sessions, oppi workspaces, oppi models or oppi servers"
    case "ps", "jobs": "list the sessions with: oppi sessions"
    case "login", "auth", "connect": "pair with a server: oppi pair INVITE"
    case "logout": "forget a server with: oppi servers forget NAME"
    case "send", "prompt", "exec": "send a prompt with: oppi ask -w WORKSPACE PROMPT"
    case "reply":
      "send a message with: oppi ask -s SESSION PROMPT, or answer a question with: oppi answer"
    case "message": "send a message with: oppi ask -s SESSION PROMPT"
    case "steer": "send a message with: oppi ask -s SESSION PROMPT, or use: oppi chat -s SESSION"
    case "resume":
      "continue a session with: oppi chat -s SESSION, or: oppi ask -s SESSION PROMPT"
    case "attach": "continue a session with: oppi chat -s SESSION"
    case "logs": "show a session with: oppi show SESSION, or: oppi follow SESSION"
    case "log": "list earlier prompts with: oppi history"
    case "kill": "stop a turn with: oppi stop SESSION"
    case "cancel":
      "stop a turn with: oppi stop SESSION, or drop a prompt with: oppi outbox drop KEY"
    case "export": "export a conversation with: oppi show --all --markdown SESSION"
    case "delete", "remove", "rm", "prune":
      "delete old sessions with: oppi sessions delete --older 30d -w WORKSPACE"
    case "queue": "list queued prompts with: oppi outbox"
    case "cron": "run shortcuts on a schedule with: oppi schedule"
    case "settings": "show the settings with: oppi config"
    case "install": "install the program's files with: oppi setup"
    default: nil
    }
  }

  package static let tool = CommandLineTool<Context, Report, GlobalOptions>(
    name: OppiProgram.name,
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
    for program: String = OppiProgram.name
  ) -> Manual<Context, Report, GlobalOptions> {
    Manual(of: tool, for: program, date: OppiProgram.releaseDate)
  }
}
