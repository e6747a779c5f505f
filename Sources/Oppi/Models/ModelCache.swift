// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The last known models of each server, in `models.json`, for completion and for checking model
/// names.
///
/// Errors of the file are ignored, because the lists can be fetched again.
struct ModelCache: Sendable {
  /// The number of models kept per server.
  private static let fewModels = 2000

  private let file: JSONFile

  init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.modelsFile, in: files, .passing)
  }

  /// Returns all readable lists.
  func load() -> [Fingerprint: [LanguageModel]] {
    var models: [Fingerprint: [LanguageModel]] = [:]
    for (key, list) in (try? file.load())?["servers"].object ?? [:] {
      guard let server = Fingerprint(key) else { continue }
      models[server] = list.array?.compactMap(LanguageModel.init(json:))
    }
    return models
  }

  /// Returns the list of a server; `nil` if unknown.
  func models(of server: Fingerprint) -> [LanguageModel]? { load()[server] }

  /// Replaces the list of one server.
  func store(_ models: [LanguageModel], of server: Fingerprint) {
    save(load().merging([server: models]) { _, new in new })
  }

  /// Replaces the lists in `lists`, and drops those of servers that are not in `servers`.
  func store(_ lists: [Fingerprint: [LanguageModel]], of servers: [Fingerprint]) {
    guard !lists.isEmpty else { return }
    save(load().filter { servers.contains($0.key) }.merging(lists) { _, new in new })
  }

  private func save(_ lists: [Fingerprint: [LanguageModel]]) {
    let members = lists.sorted { $0.key.text < $1.key.text }
      .map {
        (key: $0.key.text, value: JSONValue.array($0.value.prefix(Self.fewModels).map(\.json)))
      }
    do {
      try file.save(["servers": .object(JSONObject(members))])
    } catch {
      // The lists can be fetched again.
    }
  }
}
