# The formula of a tap. It installs by deploy/install.sh: every package is a wheel whose hash is locked in the
# release itself.
class Hashcompat < Formula
  desc "Predict which containers a kubelet upgrade kills and recreates"
  homepage "@homepage@"
  url "@url@/hashcompat-@version@.tar.gz"
  sha256 "@sdist@"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    ENV.prepend_path "PATH", formula_opt_libexec("python@3.13")/"bin"
    system "sh", "deploy/install.sh", libexec
    bin.install_symlink libexec.glob("bin/hashcompat")
    bin.install_symlink libexec.glob("bin/kubectl*hashcompat")
  end

  test do
    output = shell_output("#{bin}/hashcompat plan --sample --from 1.30 --to 1.31")
    assert_match "66 of 66 running containers restart", output
  end
end
