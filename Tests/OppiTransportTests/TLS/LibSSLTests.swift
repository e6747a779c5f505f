// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import OppiTransport

@Suite struct LibSSLTests {
  @Test("a library that exists and cannot be opened is not reported as missing")
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var usual = rlimit()
      try #require(getrlimit(files, &usual) == 0)
      var none = rlimit(rlim_cur: 0, rlim_max: usual.rlim_max)
      try #require(setrlimit(files, &none) == 0)
      // A sanitizer needs files when the process exits.
      defer { setrlimit(files, &usual) }
      do throws(TransportError) {
        _ = try LibSSL()
        Issue.record("a library without a file")
      } catch .tlsFailed(let reason) {
        #expect(reason.contains(String(cString: strerror(EMFILE))))
      } catch {
        Issue.record(error)
      }
    }
  }
}
