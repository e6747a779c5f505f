// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// The name of a schedule: a shortcut's, or one that a server runs itself.
enum ScheduleReference: Sendable, Hashable {
  case shortcut(ShortcutName)
  /// A server's name, and the id or name of its schedule.
  case server(String, schedule: String)
}

extension ScheduleReference: ArgumentValue {
  static var placeholder: String { "NAME" }

  init(argument: String) throws(ArgumentValueError) {
    // The name of a server has no slash; that of its schedule may have some.
    guard let slash = argument.firstIndex(of: "/") else {
      self = .shortcut(try ShortcutName(argument: argument))
      return
    }
    let schedule = argument[argument.index(after: slash)...]
    guard slash > argument.startIndex, !schedule.isEmpty else {
      throw ArgumentValueError("expects a shortcut's name, or SERVER/NAME")
    }
    self = .server(String(argument[..<slash]), schedule: String(schedule))
  }
}
