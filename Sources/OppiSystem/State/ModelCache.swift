// SPDX-License-Identifier: MIT

package import OppiModel

/// The models of each server as they were last listed, in `models.json`, for completion and for the
/// check of a model's name.
///
/// What is lost of it is listed again: trouble with the file is nobody's concern.
package struct ModelCache: Sendable {
  /// More of one server are not kept.
  private static let fewModels = 2000

  private let file: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.modelsFile, in: files, .passing)
  }

  /// Returns what can be read.
  package func load() -> [Fingerprint: [LanguageModel]] {
    var models: [Fingerprint: [LanguageModel]] = [:]
    for (key, list) in (try? file.load())?["servers"].object ?? [:] {
      guard let server = Fingerprint(key) else { continue }
      models[server] = list.array?.compactMap(LanguageModel.init(json:))
    }
    return models
  }

  /// Returns the list of a server; `nil` where it has never been listed.
  package func models(of server: Fingerprint) -> [LanguageModel]? { load()[server] }

  /// Replaces the list of a server and keeps those of all others.
  package func store(_ models: [LanguageModel], of server: Fingerprint) {
    save(load().merging([server: models]) { _, new in new })
  }

  /// Replaces the lists of some servers and keeps those of others.
  ///
  /// - Parameters:
  ///   - lists: The models of the servers that have told them.
  ///   - servers: The servers whose lists are worth keeping.
  package func store(_ lists: [Fingerprint: [LanguageModel]], of servers: [Fingerprint]) {
    guard !lists.isEmpty else { return }
    save(load().filter { servers.contains($0.key) }.merging(lists) { _, new in new })
  }

  private func save(_ lists: [Fingerprint: [LanguageModel]]) {
    let members = lists.sorted { $0.key.text < $1.key.text }
      .map {
        (key: $0.key.text, value: JSONValue.array($0.value.prefix(Self.fewModels).map(\.json)))
      }
    do {
      try file.checkVersion()
      try file.save(["servers": .object(JSONObject(members))])
    } catch {
      // What can be fetched again need not be kept.
    }
  }
}
