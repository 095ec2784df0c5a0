// Command velero writes the backup of a cluster that Velero's own Backupper makes, as its server would
// upload it, to standard output. Volumes are left out. KUBECONFIG names the cluster.
//
//	velero [NAMESPACE...]
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sirupsen/logrus"
	velerov1 "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	"github.com/vmware-tanzu/velero/pkg/backup"
	"github.com/vmware-tanzu/velero/pkg/client"
	"github.com/vmware-tanzu/velero/pkg/discovery"
	snapshotter "github.com/vmware-tanzu/velero/pkg/plugin/velero/volumesnapshotter/v1"
	"github.com/vmware-tanzu/velero/pkg/podvolume"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// noVolumes backs up no volume of a pod; its other methods are called for pods with volumes to back up.
type noVolumes struct{ podvolume.Backupper }

func (noVolumes) NewBackupper(
	context.Context, logrus.FieldLogger, *velerov1.Backup, string,
) (podvolume.Backupper, error) {
	return noVolumes{}, nil
}

func (noVolumes) WaitAllPodVolumesProcessed(logrus.FieldLogger) []*velerov1.PodVolumeBackup {
	return nil
}

func (noVolumes) ListPodVolumeBackupsByPod(string, string) ([]*velerov1.PodVolumeBackup, error) {
	return nil, nil
}

func (noVolumes) GetVolumeSnapshotter(string) (snapshotter.VolumeSnapshotter, error) {
	return nil, errors.New("no volume is backed up")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(namespaces []string) error {
	log := logrus.New() // to standard error
	log.SetLevel(logrus.WarnLevel)
	factory := client.NewFactory("backup", client.VeleroConfig{})
	factory.SetClientQPS(1000)
	factory.SetClientBurst(1000)
	objects, err := factory.KubebuilderClient()
	if err != nil {
		return err
	}
	dynamic, err := factory.DynamicClient()
	if err != nil {
		return err
	}
	asked, err := factory.DiscoveryClient()
	if err != nil {
		return err
	}
	helper, err := discovery.NewHelper(asked, log)
	if err != nil {
		return err
	}
	backupper, err := backup.NewKubernetesBackupper(
		objects, helper, client.NewDynamicFactory(dynamic), nil, noVolumes{}, time.Minute, false, 500, "", nil, nil,
	)
	if err != nil {
		return err
	}
	whole := true // with what belongs to no namespace, whichever are given
	request := &backup.Request{
		Backup: &velerov1.Backup{
			ObjectMeta: metav1.ObjectMeta{Namespace: "velero", Name: "backup"},
			Spec:       velerov1.BackupSpec{IncludedNamespaces: namespaces, IncludeClusterResources: &whole},
		},
		SkippedPVTracker: backup.NewSkipPVTracker(),
		BackedUpItems:    backup.NewBackedUpItemsMap(),
		WorkerPool:       backup.StartItemBlockWorkerPool(context.Background(), 1, log),
	}
	request.VolumesInformation.Init()
	defer request.StopWorkerPool()
	return backupper.Backup(log, request, os.Stdout, nil, nil, noVolumes{})
}
