// SPDX-License-Identifier: MIT

import CommandTable
import OppiRendering

/// A line of JSON about a session's turn, as ``ActivityJSON`` makes it.
enum FollowLine {
  /// The members that all lines have, then the types of lines with the members of each.
  static let rows =
    [
      HelpRow("type", "What has happened: one of those below, each with its members"),
      HelpRow("at", "When it was seen"),
      HelpRow("sessionId", "The session"),
      HelpRow("past", "True where it was over when it became known"),
    ] + ActivityJSON.fields.map { HelpRow($0.type, $0.fields.joined(separator: ", ")) }
}
