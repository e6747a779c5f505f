// SPDX-License-Identifier: MIT

import OppiModel

/// The result of looking up a model before a prompt is sent.
enum ModelStanding: Sendable {
  /// A server offers it, or has no list.
  case offered
  /// No server offers it.
  case unknown(IntentError)
  /// A server that may offer it could not be queried.
  case unchecked(IntentError)
}

extension IntentContext {
  /// Looks up a model in the cached lists of some servers, and queries the servers whose lists lack
  /// it.
  ///
  /// - Throws: If the task was cancelled.
  func standing(
    ofModel id: String,
    on servers: [PairedServer]
  ) async throws(CancellationError) -> ModelStanding {
    let catalog = modelCatalog
    let answers = try await fleet(of: servers).answers {
      (client, server, deadline) throws(IntentError) in
      try await catalog.check(id, of: server, over: client, until: deadline)
    }
    var standing = ModelStanding.offered
    for answer in answers {
      guard case .failure(let error) = answer.result else { return .offered }
      if case .unchecked = standing { continue }
      if case .unknownModel = error {
        standing = .unknown(error)
      } else {
        standing = .unchecked(error)
      }
    }
    return standing
  }

  func warn(ofUncheckedModel why: any Error) async {
    await reporter.warn("could not check the model", because: why)
  }
}
