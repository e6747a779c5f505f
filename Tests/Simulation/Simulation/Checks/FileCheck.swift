// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// What may be in the user's folders when no program runs.
struct FileCheck {
  let world: World
  let program: Program
  /// Whether there may be prompts in the outbox.
  var hasOutbox = false

  func check() {
    let paths = XDGPaths(environment: [:], home: World.home)
    let files = [
      paths.configFile, paths.serversFile, paths.credentialsFile, paths.lastUsedFile,
      paths.dialectsFile, paths.launchTargetFile, paths.workspacesFile, paths.statusFile,
      paths.sessionsFile, paths.modelsFile, paths.messageHistoryFile, paths.historyFile,
      paths.setupFile, paths.linkFile, paths.recentPicksFile, paths.turnsFile,
    ]
    // A target that came to no session stays claimed, so that the next launch can tell of it.
    let known = files + ["\(paths.launchTargetFile).\(program.number)"]
    let locks = files.map { "\(FileStore.parent(of: $0))/.\(FileStore.name(of: $0)).lock" }
    for path in world.disk.paths {
      if locks.contains(path) || hasOutbox && path.hasSuffix(".lock") { continue }
      let isKept = hasOutbox && path.hasPrefix(paths.outboxFolder)
      world.check(isKept || known.contains(path), "it left \(path)")
      let bytes = world.disk.contents(of: path) ?? []
      // A line in which a program was killed is left out by those who read them.
      if path == paths.historyFile { continue }
      world.check((try? JSONValue(parsing: bytes)) != nil, "it left \(path) damaged")
    }
  }
}
