// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi new`: saves a launch target and opens the app.
enum New {
  struct Options: Sendable, Equatable {
    var workspace: String?
    var printsTarget = false
    var desktop = DesktopOutcome.When.auto
  }

  static let command: Command = Command(
    "new",
    "Open a new session",
    discussion: """
      Saves the workspace as the launch target and opens the app, which creates the session: the \
      program of the setting 'app.command', else 'oppi launch' in this terminal, else in a \
      terminal window (xdg-terminal-exec, $TERMINAL, x-terminal-emulator).

      Without -w it uses the default workspace, else the last one ('oppi help workspaces'). A \
      cached workspace needs no network, so a hotkey responds at once.
      """,
    examples: [
      CommandExample("oppi new", "Open a session in the default workspace, else in the last one"),
      CommandExample("oppi new -w studio/api --print-target", "Save and print the launch target"),
    ],
    exitStatuses: [0, 64, 66, 69, 75, 76, 77, 78],
    members: shape.rows,
    group: Group.asking,
    options: Options(),
    arguments: [
      .workspace(\.workspace, "Open the session in this workspace"),
      .desktop(\.desktop),
      .flag("print-target", \.printsTarget, "Print the target as JSON without opening the app"),
    ],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    try await DesktopOutcome(command: "new", context: context).telling(options.desktop) {
      try await open(options, in: context)
    }
  }

  private static func open(_ options: Options, in context: Context) async throws -> Report {
    let settings = try await Config.load(in: context)
    let workspace = try await context.workspaceToOpen(option: options.workspace, settings)
    let target = LaunchTarget(workspace: workspace, timestamp: context.now())
    try context.launchTargets.write(target)
    let document = shape.document(of: target)
    if options.printsTarget { return Report(document, .text(document.text())) }
    let opener = AppOpener(settings: settings, context: context)
    return Report(document, status: StyledText(try opener.open()))
  }

  private static let shape: JSONShape<LaunchTarget> = [
    .text("serverId", "The server's identity") { $0.workspace.serverID.text },
    .text("workspaceId", "The workspace's id on the server") { $0.workspace.workspaceID },
    .text("timestamp", "When the target was saved, in UTC") { $0.timestamp.iso8601 },
  ]
}
