// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiWire

enum NowEffect: TabEffect {
  /// Read which ended turns are dismissed.
  case read
  /// Dismiss the last turns of sessions, with their ends.
  case dismiss([SessionID: Timestamp])

  /// It changes nothing on a server.
  var isChange: Bool { false }

  func perform(in console: ConsoleLoop) async {
    let file = console.context.services.dismissedTurnsFile
    var turns = file.usable() ?? DismissedTurns()
    if case .dismiss(let ends) = self {
      for (id, end) in ends { turns.dismiss(id, endedAt: end) }
      do {
        try file.save(turns)
      } catch {
        console.report(.note("not kept for the next time: \(OppiError(error).message)"))
      }
    }
    console.report(.own(NowNews(dismissed: turns)))
  }
}

/// The ended turns that are dismissed.
struct NowNews: TabNews {
  let dismissed: DismissedTurns
}

extension ConsoleEffect {
  static func now(_ effect: NowEffect) -> ConsoleEffect { .own(effect) }
}

extension Services {
  /// The ended turns that the user has dismissed in the console.
  fileprivate var dismissedTurnsFile: RecordFile<DismissedTurns> {
    RecordFile(paths.dismissedTurnsFile, in: files, isReplaceable: true)
  }
}
