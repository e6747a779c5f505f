// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiText

/// The folders of this user's files, by the XDG Base Directory Specification.
package struct XDGPaths: Sendable, Equatable {
  /// Configuration files of all programs: `$XDG_CONFIG_HOME`.
  package let configHome: String
  /// Data files of all programs: `$XDG_DATA_HOME`.
  package let dataHome: String
  /// This program's state: `$XDG_STATE_HOME/oppi`.
  package let state: String
  /// Data that can be fetched again: `$XDG_CACHE_HOME/oppi`.
  package let cache: String
  /// Data of the login session: `$XDG_RUNTIME_DIR/oppi`, or `state` if that is unset.
  package let runtime: String

  /// Determines the folders from an environment.
  ///
  /// A relative path is ignored, as the specification requires. `home` is the home folder in the
  /// user database, for a system service without `HOME`.
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

  /// This program's configuration: `$XDG_CONFIG_HOME/oppi`.
  package var config: String { configHome + "/oppi" }
  package var configFile: String { config + "/config.json" }
  package var serversFile: String { config + "/servers.json" }
  package var credentialsFile: String { state + "/credentials.json" }
  package var accessTokensFile: String { state + "/access-tokens.json" }
  package var messageHistoryFile: String { state + "/chat-history.json" }
  package var decisionsFile: String { state + "/decisions.jsonl" }
  package var shownRequestsFile: String { state + "/shown-requests.json" }
  package var historyFile: String { state + "/history.jsonl" }
  /// The history and the last used session in the format of earlier versions.
  package var earlierHistoryFile: String { state + "/history.json" }
  package var lastUsedFile: String { state + "/last-used.json" }
  package var dialectsFile: String { state + "/dialects.json" }
  package var launchTargetFile: String { state + "/launch-target.json" }
  package var shortcutsFolder: String { config + "/shortcuts" }
  package var shortcutSessionsFile: String { state + "/shortcut-sessions.json" }
  package var spendingFile: String { state + "/spending.json" }
  package var conditionsFile: String { state + "/conditions.json" }
  package var recentPicksFile: String { state + "/recent-picks.json" }
  package var outboxFolder: String { state + "/outbox" }
  package var schedulesFolder: String { state + "/schedules" }
  package var scheduleRequestsFolder: String { state + "/schedule-requests" }
  /// The record of the files that `setup` has installed.
  package var setupFile: String { state + "/setup.json" }
  /// The steps that 'oppi watch' took for requests that stay pending.
  package var escalationsFile: String { state + "/escalations.json" }
  /// The link that waits to be opened in a terminal.
  package var linkFile: String { runtime + "/link.json" }
  package var workspacesFile: String { cache + "/workspaces.json" }
  package var sessionsFile: String { cache + "/sessions.json" }
  package var turnsFile: String { cache + "/turns.json" }
  /// The ended turns that the user has dismissed.
  package var dismissedTurnsFile: String { state + "/dismissed.json" }
  package var modelsFile: String { cache + "/models.json" }
  package var statusFile: String { runtime + "/status.json" }
  /// The file that the user's single watch process locks.
  package var watchFile: String { runtime + "/watch" }
}

// MARK: - All of them

/// A file or folder of this program, for checks.
package struct OwnFile: Sendable {
  enum Form {
    case record
    /// Lines, or records that have checks of their own.
    case other
    case folder
  }

  package let path: String
  let form: Form
  var privacy = FileStore.Privacy.trusted
  /// Whether it can be requested again, so that a damaged or unsafe one is replaced.
  var isReplaceable = false
  /// In bytes.
  var limit = FileStore.sizeLimit

  /// In bytes: enough for some hundred thousand workspaces.
  package static let workspacesLimit = 64 << 20
}

extension XDGPaths {
  /// The folders in which the program writes, each once.
  package var ownFolders: [String] {
    [config, state, cache, runtime].reduce(into: []) { folders, folder in
      if !folders.contains(folder) { folders.append(folder) }
    }
  }

  /// Every file and folder above.
  package var ownFiles: [OwnFile] {
    let records = [
      configFile, serversFile, messageHistoryFile, earlierHistoryFile, lastUsedFile,
      launchTargetFile, shortcutSessionsFile, spendingFile, conditionsFile, recentPicksFile,
      setupFile, escalationsFile, linkFile,
    ]
    let replaceable = [
      shownRequestsFile, dismissedTurnsFile, dialectsFile, sessionsFile, turnsFile, modelsFile,
      statusFile,
    ]
    let folders = [shortcutsFolder, outboxFolder, schedulesFolder, scheduleRequestsFolder]
    let files = [
      OwnFile(path: credentialsFile, form: .record, privacy: .secret),
      OwnFile(path: accessTokensFile, form: .record, privacy: .secret, isReplaceable: true),
      OwnFile(
        path: workspacesFile,
        form: .record,
        isReplaceable: true,
        limit: OwnFile.workspacesLimit
      ),
      OwnFile(path: decisionsFile, form: .other), OwnFile(path: historyFile, form: .other),
      OwnFile(path: watchFile, form: .other),
    ]
    return files + records.map { OwnFile(path: $0, form: .record) }
      + replaceable.map { OwnFile(path: $0, form: .record, isReplaceable: true) }
      + folders.map { OwnFile(path: $0, form: .folder) }
  }
}

extension FileStore {
  /// Throws if a file or folder of this program exists and cannot be used; one that is replaced is
  /// noted in ``faults``.
  package func check(_ file: OwnFile) throws(FileError) {
    switch file.form {
    case .record:
      let record = RecordFile<JSONObject>(
        file.path,
        in: self,
        privacy: file.privacy,
        limit: file.limit,
        isReplaceable: file.isReplaceable
      )
      _ = try record.load()
    case .other: _ = try openToRead(file.path, privacy: file.privacy)
    case .folder: if try !names(in: file.path).isEmpty { try checkFolder(file.path) }
    }
  }
}

/// A new folder that only this user can access, for temporary files.
package struct TemporaryFolder: Sendable {
  package let path: String

  /// Creates the folder in `TMPDIR`, or in `/tmp` if that is unset.
  ///
  /// - Parameters:
  ///   - name: The start of the folder's name.
  ///   - environment: The environment variables.
  /// - Throws: `FileError.cannotCreate`.
  package init(named name: String, environment: [String: String]) throws(FileError) {
    let parent = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(parent)/\(name).XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .cannotCreate(path: parent, SystemError("mkdtemp"))
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package func remove() {
    SystemDisk().removeTree(path)
  }
}
