// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import OppiTransport

@Suite struct LibSSLTests {
  @Test("a library that is there and cannot be opened is not called missing")
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var usual = rlimit()
      try #require(getrlimit(files, &usual) == 0)
      var none = rlimit(rlim_cur: 0, rlim_max: usual.rlim_max)
      try #require(setrlimit(files, &none) == 0)
      // What a sanitizer looks at when the process ends is in files, too.
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
