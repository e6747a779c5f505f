// SPDX-License-Identifier: MIT

import OppiSystem
import OppiText

/// Checks which files are in the user's folders while no program is running.
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
      paths.setupFile, paths.accessTokensFile, paths.linkFile, paths.recentPicksFile,
      paths.turnsFile, paths.escalationsFile, paths.decisionsFile, paths.shownRequestsFile,
    ]
    // A launch target without a session stays claimed, so that the next launch can report it.
    let known = files + ["\(paths.launchTargetFile).\(program.number)"]
    let locks = files.map { "\(FileStore.parent(of: $0))/.\(FileStore.name(of: $0)).lock" }
    for path in world.disk.paths {
      if locks.contains(path) || hasOutbox && path.hasSuffix(".lock") { continue }
      // A killed program leaves the lock of its refresh.
      if path.contains("/.access-"), path.hasSuffix(".lock") { continue }
      let isKept = hasOutbox && path.hasPrefix(paths.outboxFolder)
      world.check(isKept || known.contains(path), "\(path) was left")
      let bytes = world.disk.contents(of: path) ?? []
      // Readers skip a line that is incomplete because its program was killed.
      if [paths.historyFile, paths.decisionsFile].contains(path) { continue }
      world.check((try? JSONValue(parsing: bytes)) != nil, "\(path) was left damaged")
    }
  }
}
