// SPDX-License-Identifier: MIT

/// A variable that differs between this environment and a trigger's; its values may be secret.
package enum VariableDifference: Sendable, Equatable {
  /// Set only in this environment.
  case missingThere(String)
  /// Set only in the trigger's environment.
  case missingHere(String)
  case changed(String)

  /// Variables that affect the program.
  private static let general = [
    "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "OPPI_SERVER",
    "OPPI_WORKSPACE", "CREDENTIALS_DIRECTORY",
  ]
  private static let proxies = [
    "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
  ]
  private static let certificates = ["SSL_CERT_DIR", "SSL_CERT_FILE"]

  /// Returns the relevant differences in a fixed order; an empty variable counts as unset.
  ///
  /// `here` is this environment and `there` that of the trigger. Proxy variables count if
  /// `usesProxy`: a server may be reached through a proxy. Certificate variables count if
  /// `usesTrustAnchors`: a server's certificate is verified by the system's authorities.
  package static func all(
    here: [String: String],
    there: [String: String],
    usesProxy: Bool,
    usesTrustAnchors: Bool
  ) -> [VariableDifference] {
    let names = general + (usesProxy ? proxies : []) + (usesTrustAnchors ? certificates : [])
    return names.compactMap { name in
      let (here, there) = (here[name] ?? "", there[name] ?? "")
      guard here != there else { return nil }
      if there.isEmpty { return .missingThere(name) }
      return here.isEmpty ? .missingHere(name) : .changed(name)
    }
  }
}
