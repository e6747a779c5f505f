// SPDX-License-Identifier: MIT

/// The folders of this user's files, by the XDG Base Directory Specification.
package struct XDGPaths: Sendable, Equatable {
  /// What the user writes for all programs: `$XDG_CONFIG_HOME`.
  package let configHome: String
  /// What is there for all programs of the user: `$XDG_DATA_HOME`.
  package let dataHome: String
  /// What the program remembers: `$XDG_STATE_HOME/oppi`.
  package let state: String
  /// What can be fetched again: `$XDG_CACHE_HOME/oppi`.
  package let cache: String
  /// What is of use while the user is logged in: `$XDG_RUNTIME_DIR/oppi`, else what is remembered.
  package let runtime: String

  /// Finds the folders for an environment.
  ///
  /// A relative value is ignored, as the specification demands. `home` is the home folder of the
  /// user database, for a system service that has no `HOME`.
  package init(environment: [String: String], home: @autoclosure () -> String) {
    func folder(_ variable: String, _ fallback: String) -> String {
      if let value = environment[variable], value.hasPrefix("/") { return value }
      let ownHome = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      return "\(ownHome ?? home())/\(fallback)"
    }
    configHome = folder("XDG_CONFIG_HOME", ".config")
    dataHome = folder("XDG_DATA_HOME", ".local/share")
    state = folder("XDG_STATE_HOME", ".local/state") + "/oppi"
    cache = folder("XDG_CACHE_HOME", ".cache") + "/oppi"
    let session = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    runtime = session.map { $0 + "/oppi" } ?? state
  }

  /// What the user writes: `$XDG_CONFIG_HOME/oppi`.
  package var config: String { configHome + "/oppi" }
  package var configFile: String { config + "/config.json" }
  package var serversFile: String { config + "/servers.json" }
  package var credentialsFile: String { state + "/credentials.json" }
  package var messageHistoryFile: String { state + "/chat-history.json" }
  package var historyFile: String { state + "/history.jsonl" }
  /// What earlier versions kept of what was asked, and used last.
  package var earlierHistoryFile: String { state + "/history.json" }
  package var lastUsedFile: String { state + "/last-used.json" }
  package var dialectsFile: String { state + "/dialects.json" }
  package var launchTargetFile: String { state + "/launch-target.json" }
  package var shortcutsFolder: String { config + "/shortcuts" }
  package var shortcutSessionsFile: String { state + "/shortcut-sessions.json" }
  package var recentPicksFile: String { state + "/recent-picks.json" }
  package var outboxFolder: String { state + "/outbox" }
  package var schedulesFolder: String { state + "/schedules" }
  /// What `setup` has put where other programs look.
  package var setupFile: String { state + "/setup.json" }
  /// The link that waits to be looked at in a terminal.
  package var linkFile: String { runtime + "/link.json" }
  package var workspacesFile: String { cache + "/workspaces.json" }
  package var sessionsFile: String { cache + "/sessions.json" }
  package var turnsFile: String { cache + "/turns.json" }
  package var modelsFile: String { cache + "/models.json" }
  package var statusFile: String { runtime + "/status.json" }
  /// What the one watch of the user holds the lock of.
  package var watchFile: String { runtime + "/watch" }
}
